import { invariant } from '@inventory/runtime/bug';
import { type Change, rowIn } from '../domain/change.ts';
import type { Revision } from '../domain/observation.ts';
import { assetIdentity } from '../domain/page-survey.ts';
import { candidatesOf } from '../reads/look-up-assets.ts';
import type { InventoryReading } from '../reads/open-reading.ts';
import { BlocksGone, type PageSets } from '../reads/read-blocks.ts';
import { readRows } from '../reads/read-rows.ts';

export interface SeenRows {
  readonly scope: string;
  readonly revision: Revision;
  readonly sets: PageSets;
}

/**
 * Changes with the rows that an observation of their later revision saw. A change set has those of the
 * scan that changed the asset: since then others may have seen it with other properties. Fewer changes
 * where the rows are larger than `bytesMax`, at least one.
 */
export async function asObserved(
  reading: InventoryReading,
  seen: SeenRows,
  changes: readonly Change[],
  bytesMax: number,
): Promise<Change[]> {
  for (let count = changes.length; ; count = Math.ceil(count / 2)) {
    const given = changes.slice(0, count);
    const rows = await findRows(
      reading,
      seen,
      given,
      count === 1 ? Number.POSITIVE_INFINITY : bytesMax,
    );
    if (rows === 'too_large') continue;
    return given.map((change) => {
      if (change.after === null) return change;
      const after = rows.get(assetIdentity(rowIn(change.after)));
      invariant(after !== undefined, 'what was added or changed is in the later revision');
      return { ...change, after };
    });
  }
}

/** Copies of the rows by identity: what is in memory is a part of a block and a page. */
async function findRows(
  { rowBlocks, assetIndexes }: InventoryReading,
  { scope, revision, sets }: SeenRows,
  changes: readonly Change[],
  bytesMax: number,
): Promise<ReadonlyMap<string, Buffer> | 'too_large'> {
  const present = changes.flatMap(({ after }) => (after ? rowIn(after) : []));
  const wanted = new Set(present.map(assetIdentity));
  const found = new Map<string, Buffer>();
  if (wanted.size === 0) return found;
  const hashes = await assetIndexes.hashesOf(scope, revision);
  if (hashes === null) throw new BlocksGone();
  const assetIds = new Set(present.map(({ assetid }) => assetid));
  let bytes = 0;
  for (const [index, rows] of candidatesOf(hashes, revision, assetIds)) {
    for await (const stored of readRows(rowBlocks, sets, index, new Set(rows))) {
      for (const { bytes: text, start, size } of stored) {
        const row = text.subarray(start, start + size);
        const identity = assetIdentity(rowIn(row));
        if (!wanted.has(identity)) continue;
        bytes += size;
        if (bytes > bytesMax) return 'too_large';
        found.set(identity, Buffer.from(row));
      }
    }
  }
  return found;
}
