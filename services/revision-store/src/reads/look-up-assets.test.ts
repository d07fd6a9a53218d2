import { testLogger } from '@inventory/testkit/namespace';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  blockAssets as anyBlockAssets,
  pages as anyPages,
} from '../../test/support/arbitraries.ts';
import { assemble, type Page } from '../../test/support/assembled-inventory.ts';
import { memoryInventory, readingWith } from '../../test/support/memory-inventory.ts';
import { createAssetIndexes } from './asset-index.ts';
import { lookUpAssets } from './look-up-assets.ts';

type Row = Readonly<Record<string, unknown>>;

/** An inventory with an index that is made at the first lookup. */
function openLookups(pages: readonly Page[], blockAssets: number) {
  const inventory = assemble(pages, blockAssets);
  const { observation, blocks, read } = memoryInventory(inventory, blockAssets);
  let kept: Uint32Array | null = null;
  const indexes = {
    readIndex: async () => kept,
    async keepIndex(_of: object, hashes: Uint32Array) {
      kept = hashes;
    },
  };
  const reading = readingWith({
    scopes: { readHead: async () => observation },
    blocks,
    assetIndexes: createAssetIndexes(blocks, indexes, testLogger),
  });
  async function lookUp(assetIds: readonly string[], descriptions: 'page' | 'none' = 'page') {
    const language = 'english';
    const found = await lookUpAssets(reading, { scopeKey: '', language, descriptions, assetIds });
    const { result } = found;
    if (result !== 'page') return { result, assets: [], descriptions: [], notInRevision: [] };
    const text = Buffer.concat([...found.body]).toString();
    const page = JSON.parse(`{${text}}`) as { assets: Row[]; descriptions: Row[] };
    return { result, ...page, notInRevision: found.notInRevision };
  }
  const all = inventory.blocks.flatMap(({ assets }) =>
    assets.flatMap(({ joined }) => JSON.parse(`[${joined.bytes}]`) as Row[]),
  );
  return { lookUp, read, all };
}

const wantedIds = fc.array(
  fc.constantFrom('1', '2', '3', '4', '01', '90071992547409931', '18446744073709551615'),
  { minLength: 1, maxLength: 10 },
);

/** Every row with an id, in the order in which the ids are wanted. */
const rowsInOrder = (all: readonly Row[], wanted: readonly string[]) =>
  [...new Set(wanted)].flatMap((id) => all.filter(({ assetid }) => assetid === id));

const reversed: typeof rowsInOrder = (all, wanted) => rowsInOrder(all, wanted.toReversed());

const joinKey = ({ classid, instanceid }: Row) => `${classid}_${instanceid}`;

const findsThem = (expected: typeof rowsInOrder) =>
  fc.asyncProperty(anyPages, anyBlockAssets, wantedIds, async (pages, blockAssets, wanted) => {
    const { lookUp, all } = openLookups(pages, blockAssets);

    const [first, again, bare] = [
      await lookUp(wanted),
      await lookUp(wanted),
      await lookUp(wanted, 'none'),
    ];

    const rows = expected(all, wanted);
    const ids = new Set(all.map(({ assetid }) => assetid));
    const described = pages.flatMap(({ descriptions }) => descriptions.map(joinKey));
    const needed = new Set(rows.map(joinKey).filter((key) => described.includes(key)));
    expect(first.assets).toEqual(rows);
    expect(first.notInRevision).toEqual([...new Set(wanted)].filter((id) => !ids.has(id)));
    expect(first.descriptions.map(joinKey).toSorted()).toEqual([...needed].toSorted());
    expect(again).toEqual(first);
    expect(bare).toEqual({ ...first, descriptions: [] });
  });

describe('A lookup of assets (Reads: Current lookups) [current-lookups]', () => {
  it('finds those of the revision in the order of asking, each once, with their descriptions', async () => {
    await fc.assert(findsThem(rowsInOrder), { numRuns: propertyRuns(300) });
  });

  it('is told from one in another order', async () => {
    await expect(fc.assert(findsThem(reversed), { numRuns: 300 })).rejects.toThrow();
  });

  it('makes the index of a revision once, and reads none but the blocks of what it finds then', async () => {
    const assets = Array.from({ length: 50 }, (_, at) => row(String(at)));
    const { lookUp, read } = openLookups([{ assets, descriptions: [] }], 5);

    const made = await Promise.all([lookUp(['7']), lookUp(['8'])]);
    const readToMake = read.splice(0).length;
    const found = await lookUp(['49', '3', '48', '999', '1']);

    expect(made.map((page) => page.assets.length)).toEqual([1, 1]);
    // Each of its ten blocks once, and the block of each of the two.
    expect(readToMake).toBe(12);
    expect(found.assets.map(({ assetid }) => assetid)).toEqual(['49', '3', '48', '1']);
    expect(read.toSorted()).toEqual([0, 9]);
  });

  it('of more than a page holds is refused; one asset alone is returned', async () => {
    const text = 'x'.repeat(9 * 1024 * 1024);
    const assets = ['1', '2'].map((assetid) => ({ ...row(assetid), text }));
    const { lookUp } = openLookups([{ assets, descriptions: [] }], 5);

    expect(await lookUp(['1', '2'])).toMatchObject({ result: 'too_large' });
    expect((await lookUp(['2'])).assets).toEqual([assets[1]]);
  });
});

function row(assetid: string) {
  return { appid: 730, contextid: '2', assetid, classid: '1', instanceid: '0', amount: '1' };
}
