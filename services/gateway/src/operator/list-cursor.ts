import { Refused } from '@inventory/http/refused';
import type { z } from 'zod';
import type { ListPart } from '../tenancy/tenancy-store.ts';
import type { listQuery } from './operator-schemas.ts';

/** Lists whose cursors must not be mixed up. */
type ListName =
  | 'accounts'
  | 'projects'
  | 'service_accounts'
  | 'credentials'
  | 'holds'
  | 'statement'
  | 'deliveries'
  | 'audit';

/** Opaque; it names a position and grants nothing. */
export function writeCursor(list: ListName, position: string): string {
  return Buffer.from(`${list}:${position}`).toString('base64url');
}

/** The position that a cursor of this list names; null without one. Throws `invalid_cursor`. */
export function readCursor(
  list: ListName,
  cursor: string | undefined,
  position: z.ZodType,
): string | null {
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, 'base64url').toString();
  const named = text.slice(list.length + 1);
  const isOurs = text.startsWith(`${list}:`) && position.safeParse(named).success;
  if (!isOurs || writeCursor(list, named) !== cursor) {
    throw new Refused({ code: 'invalid_cursor' });
  }
  return named;
}

interface ThingList<Thing extends { readonly id: string }, Shown> {
  readonly list: ListName;
  readonly id: z.ZodType;
  readonly read: (part: ListPart) => Promise<readonly Thing[]>;
  readonly toWire: (thing: Thing) => Shown;
}

/** One part of things in the order of their ids. */
export async function listById<Thing extends { readonly id: string }, Shown>(
  { limit, cursor }: z.output<typeof listQuery>,
  { list, id, read, toWire }: ThingList<Thing, Shown>,
) {
  const afterId = readCursor(list, cursor, id);
  const found = await read({ afterId, limit: limit + 1 });
  return listAnswer({ list, found, limit, positionOf: (thing) => thing.id, toWire });
}

interface ListOptions<Item, Shown> {
  readonly list: ListName;
  /** One more than `limit`, where there are more. */
  readonly found: readonly Item[];
  readonly limit: number;
  readonly positionOf: (item: Item) => string;
  readonly toWire: (item: Item) => Shown;
}

/** One part of a list as a response; `next_cursor` is null on the last part. */
export function listAnswer<Item, Shown>(options: ListOptions<Item, Shown>) {
  const { list, found, limit, positionOf, toWire } = options;
  const given = found.slice(0, limit);
  const last = given.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    items: given.map(toWire),
    next_cursor: hasMore ? writeCursor(list, positionOf(last)) : null,
  };
}
