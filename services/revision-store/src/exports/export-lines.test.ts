import {
  createLineJoiner,
  type LineRun,
  type RunTexts,
  writeLineRun,
} from '@inventory/http/line-run';
import { pack } from '@inventory/runtime/packed-bytes';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  blockAssets as anyBlockAssets,
  pages as anyPages,
} from '../../test/support/arbitraries.ts';
import { assemble, type Page } from '../../test/support/assembled-inventory.ts';
import { memoryInventory, readingWith } from '../../test/support/memory-inventory.ts';
import { joinTexts } from '../domain/joined-texts.ts';
import type { InventoryReading } from '../reads/open-reading.ts';
import type { BlockReading, BlockTexts } from '../storage/block-store.ts';
import { exportLines } from './export-lines.ts';
import { readExportLines } from './read-export-lines.ts';

type Row = Readonly<Record<string, unknown>>;
type Format = 'ndjson' | 'csv';

/** The lines as their sender joins them. */
function linesOf(lines: LineRun, format: Format): Buffer[] {
  const pieces = createLineJoiner(format)(writeLineRun(lines));
  return Array.from(pieces, (piece) => Buffer.from(piece));
}

/** Blocks as they are stored, where they are in one part. */
const asStored = (blocks: BlockReading): InventoryReading['exportBlocks'] => ({
  ...blocks,
  async readAssets(set, index) {
    const block = await blocks.readAssets(set, index);
    return block && { ...block, assets: await packFirst(block.assets) };
  },
  async readTexts(set, index) {
    const texts = await blocks.readTexts(set, index);
    return texts && (await packFirst(texts));
  },
});

const packFirst = async (texts: BlockTexts) => ({ ...texts, first: await pack(texts.first) });

/** Every line of an inventory, read from one position to the next. */
async function readAll(pages: readonly Page[], blockAssets: number, format: Format, from = 0) {
  const { observation, blocks } = memoryInventory(assemble(pages, blockAssets), blockAssets);
  const reading = readingWith({
    scopes: { readHead: async () => observation },
    observations: { findSuperseded: async () => null },
    exportBlocks: asStored(blocks),
    clock: { now: () => 0 },
  });
  const runs: Buffer[] = [];
  for (let position: number | null = from; position !== null; ) {
    const request = { scopeKey: '', language: 'english', format, position } as const;
    const run = await readExportLines(reading, { ...request, observationId: null });
    if (run.result !== 'page') throw new Error(run.result);
    runs.push(...linesOf(run.lines, format));
    position = run.nextPosition;
  }
  return Buffer.concat(runs).toString();
}

/** The rows of an inventory in its order, joined as a client joins its pages. */
function joinedRows(pages: readonly Page[], blockAssets: number) {
  const { blocks } = assemble(pages, blockAssets);
  const rowsOf = (part: 'assets' | 'texts') =>
    blocks.flatMap((block) =>
      block[part].flatMap(({ joined }) => JSON.parse(`[${joined.bytes}]`) as Row[]),
    );
  const key = ({ classid, instanceid }: Row) => JSON.stringify([classid, instanceid]);
  const descriptions = new Map(rowsOf('texts').map((row) => [key(row), row]));
  return rowsOf('assets').map((asset) => ({
    asset,
    description: descriptions.get(key(asset)) ?? null,
  }));
}

const parsedLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const linesAreRows = (read: typeof readAll) =>
  fc.asyncProperty(anyPages, anyBlockAssets, fc.nat(), async (pages, blockAssets, at) => {
    const rows = joinedRows(pages, blockAssets);
    const from = at % (rows.length + 1);

    expect(parsedLines(await read(pages, blockAssets, 'ndjson', from))).toEqual(rows.slice(from));
    expect((await read(pages, blockAssets, 'csv')).split('\r\n')).toHaveLength(rows.length + 1);
  });

describe('The lines of an export [export]', () => {
  it('are the rows of the pages joined, from any row on, one a line (Export)', async () => {
    await fc.assert(linesAreRows(readAll), { numRuns: propertyRuns(300) });
  });

  it('are told from those of an export that begins each block anew', async () => {
    const anew: typeof readAll = (pages, blockAssets, format, from) =>
      readAll(pages, blockAssets, format, Math.floor((from ?? 0) / blockAssets) * blockAssets);

    await expect(fc.assert(linesAreRows(anew), { numRuns: 300 })).rejects.toThrow();
  });

  it('have each description in a run once, and of those that others need nothing (Export)', () => {
    const part = partOf(['1', '2', '3', '4'], ['"a"', '"other"', '"b"']);
    const range = { index: 0, from: 1, to: 4 };
    const content = { ...part.content, descriptionOf: Uint16Array.of(1, 2, 0, 2) };

    const { assets, descriptions } = exportLines({ range, content }, 'ndjson');
    const textOf = ({ bytes }: RunTexts) => [bytes].flat().join('');

    expect(textOf(assets)).toBe('2,3,4');
    expect(textOf(descriptions)).toBe('"a","b"');
  });

  it('as CSV are cells that break out of nothing and run nowhere', () => {
    const asset = { assetid: '18446744073709551615', classid: '5', instanceid: '0', appid: 730 };
    const texts = { market_hash_name: '=1+1', name: 'a "b", c\nd', type: '-x', tradable: 1 };
    const part = partOf([JSON.stringify(asset)], [JSON.stringify(texts)]);

    expect(linesOf(exportLines(part, 'csv'), 'csv').join('')).toBe(
      `18446744073709551615,5,0,730,,,,'=1+1,"a ""b"", c\nd",'-x,1,\r\n`,
    );
  });

  it('as CSV have numbers with the digits that the platform sent, and no other values (Export: CSV)', () => {
    const asset = '{"assetid":18446744073709551616,"amount":"-5.00","x":{"appid":1},"appid":1.50}';
    const texts = '{"name":"-5.00","tradable":-5.00,"type":[1],"marketable":1E+2}';

    expect(linesOf(exportLines(partOf([asset], [texts]), 'csv'), 'csv').join('')).toBe(
      '18446744073709551616,,,1.50,,-5.00,,,-5.00,,-5.00,1E+2\r\n',
    );
  });
});

function partOf(assets: readonly string[], texts: readonly string[]) {
  const buffers = (of: readonly string[]) => joinTexts(of.map((text) => Buffer.from(text)));
  return {
    range: { index: 0, from: 0, to: assets.length },
    content: {
      descriptionOf: new Uint16Array(assets.length),
      descriptionNumbers: Uint32Array.of(0),
      assets: [{ from: 0, joined: buffers(assets) }],
      texts: [{ from: 0, joined: buffers(texts) }],
    },
  };
}
