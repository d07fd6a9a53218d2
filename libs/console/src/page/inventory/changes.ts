import type { Operations } from '../api/operations.ts';
import type { Asset, Changes, Scope } from '../api/wire-types.ts';
import type { Item } from './items.ts';

/** What changed since an earlier revision, by the ids of assets. */
export interface ItemChanges {
  readonly since: string;
  readonly added: ReadonlySet<string>;
  /** With the amount before. */
  readonly changed: ReadonlyMap<string, string>;
  readonly removed: readonly Asset[];
  readonly creditsCharged: number;
}

const noChanges = (since: string): ItemChanges => ({
  since,
  added: new Set(),
  changed: new Map(),
  removed: [],
  creditsCharged: 0,
});

/** Adds a page to those before it. */
function mergeChanges(known: ItemChanges, page: Changes, charged: number): ItemChanges {
  return {
    since: known.since,
    added: new Set([...known.added, ...page.added.map(({ assetid }) => assetid)]),
    changed: new Map([
      ...known.changed,
      ...page.changed.map(({ asset, amount_before }) => [asset.assetid, amount_before] as const),
    ]),
    removed: [...known.removed, ...page.removed],
    creditsCharged: known.creditsCharged + charged,
  };
}

/** All pages of the difference; each has a key of its own, so that a retry of one is free. */
export async function loadChanges(
  operations: Pick<Operations, 'changes'>,
  scope: Scope,
  since: string,
  idempotencyKey: string,
): Promise<ItemChanges> {
  let changes = noChanges(since);
  let cursor: string | null = null;
  let pages = 0;
  do {
    const query: Record<string, string> = { since, ...(cursor !== null && { cursor }) };
    const { data, meta } = await operations.changes(scope, query, `${idempotencyKey}-${pages}`);
    changes = mergeChanges(changes, data, meta.credits_charged ?? 0);
    cursor = data.pagination.next_cursor;
    pages += 1;
  } while (cursor !== null);
  return changes;
}

export type Mark = 'added' | 'changed';

export function markOf({ asset }: Item, changes: ItemChanges | null): Mark | null {
  if (changes?.added.has(asset.assetid)) return 'added';
  return changes?.changed.has(asset.assetid) ? 'changed' : null;
}

/** Marked items first, in their order. */
export function markedFirst(items: readonly Item[], changes: ItemChanges): readonly Item[] {
  const marked = items.filter((item) => markOf(item, changes) !== null);
  return [...marked, ...items.filter((item) => markOf(item, changes) === null)];
}
