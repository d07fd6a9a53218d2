import type { z } from 'zod';
import { type CursorSealer, listParts } from '../http/sealed-cursor.ts';
import type { ListPart } from '../tenancy/tenancy-store.ts';
import type { listQuery } from './operator-schemas.ts';

/** The parts of a list of this API: their cursors are valid for it only. */
export function partsOf({ cursors }: WithCursors, ...list: readonly string[]) {
  return listParts(cursors, ['operator', ...list]);
}

interface WithCursors {
  readonly cursors: CursorSealer;
}

interface ThingList<Thing> {
  readonly list: readonly string[];
  readonly read: (part: ListPart) => Promise<readonly Thing[]>;
  readonly idOf: (thing: Thing) => string;
}

/** One part of things in the order of their ids; `next_cursor` is null on the last part. */
export async function listById<Thing>(
  services: WithCursors,
  { limit, cursor }: z.output<typeof listQuery>,
  { list, read, idOf }: ThingList<Thing>,
) {
  const parts = partsOf(services, ...list);
  const found = await read({ afterId: parts.begin(cursor), limit: limit + 1 });
  const { items, pagination } = parts.take(found, limit, idOf);
  return { items, nextCursor: pagination.nextCursor };
}
