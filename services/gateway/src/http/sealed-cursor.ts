import { Refused } from '@inventory/http/refused';
import { createTextSealer } from '@inventory/runtime/text-sealer';

export type CursorSealer = ReturnType<typeof createCursorSealer>;

/**
 * Seals the contents of cursors, so that clients can neither read, create nor change them. The
 * first key seals; every key opens, so that keys can be replaced without breaking chains.
 */
export function createCursorSealer(encodedKeys: readonly string[]) {
  const sealer = createTextSealer(encodedKeys);
  // As JSON no two bindings have the same text.
  return {
    /** `binding` names everything that the cursor is valid for; opening requires the same one. */
    seal: (content: string, binding: readonly string[]): string =>
      sealer.seal(content, JSON.stringify(binding)),
    /** Null for a text that was not sealed under this binding. */
    open: (cursor: string, binding: readonly string[]): string | null =>
      sealer.open(cursor, JSON.stringify(binding)),
  };
}

/** The content of a cursor; refused as `invalid_cursor` when it was not sealed under this binding. */
export function openOrRefuse(
  cursors: CursorSealer,
  cursor: string,
  binding: readonly string[],
): string {
  const content = cursors.open(cursor, binding);
  if (content === null) throw new Refused({ code: 'invalid_cursor' });
  return content;
}

/** The parts of one list: each names where the next one begins by a cursor of this binding. */
export function listParts(cursors: CursorSealer, binding: readonly string[]) {
  /** `next` is null on the last part. */
  const paginationTo = (next: string | null) => ({
    hasMore: next !== null,
    nextCursor: next === null ? null : cursors.seal(next, binding),
  });
  return {
    paginationTo,
    /** Where the part of this cursor begins; null for the first one. */
    begin: (cursor: string | undefined): string | null =>
      cursor === undefined ? null : openOrRefuse(cursors, cursor, binding),
    /** The first `limit` of what was found, which is more where there is a next part. */
    take<Item>(found: readonly Item[], limit: number, keyOf: (item: Item) => string) {
      const items = found.slice(0, limit);
      const last = found.length > limit ? items.at(-1) : undefined;
      return { items, pagination: paginationTo(last === undefined ? null : keyOf(last)) };
    },
  };
}
