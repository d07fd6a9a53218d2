import { only } from '@inventory/testkit/only';
import { readingWith } from '../../test/support/memory-inventory.ts';
import { asset } from '../../test/support/scan-builder.ts';
import type { Change } from '../domain/change.ts';
import { joinTexts } from '../domain/joined-texts.ts';
import type { Revision } from '../domain/observation.ts';
import { assetHash } from '../reads/asset-index.ts';
import { BlocksGone } from '../reads/read-blocks.ts';
import type { BlockStore } from '../storage/block-store.ts';
import { asObserved } from './as-observed.ts';

const ids = ['7', '8', '9', '10'];
const text = (id: string, properties: string) =>
  Buffer.from(JSON.stringify(asset(id, { asset_properties: properties })));
const seen = ids.map((id) => text(id, 'as seen'));
const size = seen[3]?.length ?? 0;

/** Each block has two rows; `gone` where there is none any more. */
function openRows(gone = false) {
  const rowBlocks = only<BlockStore>({
    readAssets: async () => undefined,
    async readTexts(_set, index) {
      const { bytes: first, lengths } = joinTexts(seen.slice(2 * index, 2 * index + 2));
      return gone ? undefined : { first, lengths, starts: [0] };
    },
    readPart: async () => undefined,
  });
  const assetIndexes = { hashesOf: async () => Uint32Array.from(ids, assetHash) };
  const reading = readingWith({ rowBlocks, assetIndexes });
  const revision = { blockAssets: 2 } as Revision;
  const sets = { revisionId: 'invrev_1', rowSetId: 'rows', textSetId: 'texts' } as const;
  return (changes: readonly Change[], bytesMax = 16 * size) =>
    asObserved(reading, { scope: '', revision, sets }, changes, bytesMax);
}

const added = ids.map((id) => ({ key: id, before: null, after: text(id, 'as saved') }));
const removed = { key: '11', before: text('11', 'as saved'), after: null };

describe('Rows of changes as an observation saw them (Everything is bounded) [changes-are-a-function-of-two-revisions]', () => {
  it('replace those of the change sets, and leave removed ones as last saved', async () => {
    const rows = await openRows()([...added, removed]);

    expect(rows.map(({ after }) => after)).toEqual([...seen, null]);
    expect(rows.at(-1)).toBe(removed);
  });

  it.each([
    [4, 4],
    [3, 2],
    [1, 1],
    [0.5, 1],
  ])('are no larger than their bytes (%d rows), but at least one: %i', async (rows, given) => {
    expect(await openRows()(added, rows * size)).toHaveLength(given);
  });

  it('are gone with their blocks', async () => {
    await expect(openRows(true)(added)).rejects.toThrow(BlocksGone);
    expect(await openRows(true)([removed])).toEqual([removed]);
  });
});
