import { freeBytes } from '@inventory/runtime/free-bytes';
import { offsetsIn, partEnd } from '../domain/joined-texts.ts';
import type { BlockReading, RowSets } from '../storage/block-store.ts';
import { BlocksGone } from './read-blocks.ts';

export interface StoredRow {
  readonly row: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly size: number;
}

/** The rows of a block, or those wanted, part by part: each is read before the next, and then freed. */
export async function* readRows(
  blocks: BlockReading,
  { revisionId, rowSetId }: RowSets,
  index: number,
  wanted?: { has(row: number): boolean },
): AsyncGenerator<StoredRow[]> {
  const set = rowSetId ?? revisionId;
  const texts =
    rowSetId === null
      ? (await blocks.readAssets(set, index))?.assets
      : await blocks.readTexts(set, index);
  if (!texts) throw new BlocksGone();
  const { starts, lengths, first } = texts;
  for (const [part, from] of starts.entries()) {
    const end = partEnd(starts, part, lengths.length);
    const isWanted = (row: number) => wanted === undefined || wanted.has(row);
    const rows = Array.from({ length: end - from }, (_, at) => from + at).filter(isWanted);
    if (rows.length === 0) continue;
    const bytes = part === 0 ? first : await blocks.readPart(set, index, part);
    if (!bytes) throw new BlocksGone();
    const { offsets } = offsetsIn(lengths.subarray(from, end));
    yield rows.map((row) => {
      return { row, bytes, start: offsets[row - from] ?? 0, size: lengths[row] ?? 0 };
    });
    freeBytes(bytes);
  }
}
