import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  blockAssets as anyBlockAssets,
  pages as anyPages,
} from '../../test/support/arbitraries.ts';
import { assemble, type Page } from '../../test/support/assembled-inventory.ts';
import { memoryInventory } from '../../test/support/memory-inventory.ts';
import { readExportLines } from '../operations/read-export-lines.ts';
import { exportLines, fittingLines } from './export-lines.ts';
import { joinTexts } from './joined-texts.ts';

type Row = Readonly<Record<string, unknown>>;
type Format = 'ndjson' | 'csv';

/** Every line of an inventory, read from one position to the next. */
async function readAll(pages: readonly Page[], blockAssets: number, format: Format, from = 0) {
  const { observation, blocks } = memoryInventory(assemble(pages, blockAssets), blockAssets);
  const deps = {
    scopes: { readHead: async () => observation },
    observations: { findSuperseded: async () => null },
    blocks,
    clock: { now: () => 0 },
    settings: {
      retention: { supersededKeptMs: 0, changesKeptMs: 0, headKeptMs: 0, erasedKeptMs: 0 },
    },
  };
  const runs: Buffer[] = [];
  for (let position: number | null = from; position !== null; ) {
    const request = { scopeKey: '', language: 'english', format, position } as const;
    const run = await readExportLines(deps, { ...request, observationId: null });
    if (run.result !== 'page') throw new Error(run.result);
    runs.push(...run.body);
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

  it('stay one line each where the stored JSON is broken between its tokens', () => {
    const broken = '{\r\n "assetid" : "1",\n"n": 1e400 }';
    const part = partOf([broken], []);

    expect(exportLines.ndjson(part).toString()).toBe(
      '{"asset":{   "assetid" : "1", "n": 1e400 },"description":null}\n',
    );
  });

  it('as CSV are cells that break out of nothing and run nowhere', () => {
    const asset = { assetid: '18446744073709551615', classid: '5', instanceid: '0', appid: 730 };
    const texts = { market_hash_name: '=1+1', name: 'a "b", c\nd', type: '-x', tradable: 1 };
    const part = partOf([JSON.stringify(asset)], [JSON.stringify(texts)]);

    expect(exportLines.csv(part).toString()).toBe(
      `18446744073709551615,5,0,730,,,,'=1+1,"a ""b"", c\nd",'-x,1,\r\n`,
    );
  });

  it('are as many as fit, and at least one', () => {
    const outlined = {
      range: { index: 0, from: 0, to: 4 },
      outline: {
        descriptionOf: Uint16Array.of(0, 0, 0, 0),
        descriptionNumbers: Uint32Array.of(7),
        assetLengths: Uint32Array.of(100, 100, 100, 100),
        textLengths: Uint32Array.of(74),
      },
    };

    // 26 bytes are around the two texts of a line.
    expect(fittingLines(outlined, 1).to).toBe(1);
    expect(fittingLines(outlined, 599).to).toBe(2);
    expect(fittingLines(outlined, 600).to).toBe(3);
    expect(fittingLines(outlined, 800).to).toBe(4);
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
