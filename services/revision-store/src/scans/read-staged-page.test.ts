import { stagedAsset, stagedDescription } from '@inventory/contracts/staged-rows';
import { PagesInvalid, surveyPage } from './read-staged-page.ts';

const description = { appid: 730, classid: '501', instanceid: '0' };
const asset = { ...description, contextid: '2', assetid: '7', amount: '1', currencyid: '7' };
const odd = [undefined, null, '', '0123', 'x', '1'.repeat(21), 1, 1.5, -1, 2 ** 53, [], {}, true];

/** The row with each member in turn missing or odd. */
function oddRows<Row extends object>(row: Row): Row[] {
  return Object.keys(row).flatMap((name) => odd.map((value) => ({ ...row, [name]: value })));
}

function isPage(page: { readonly assets: object[]; readonly descriptions: object[] }): boolean {
  try {
    surveyPage(Buffer.from(JSON.stringify(page)));
    return true;
  } catch (error) {
    if (error instanceof PagesInvalid) return false;
    throw error;
  }
}

describe('A staged page (byte for byte as it was staged)', () => {
  it.each([
    ['asset', oddRows(asset), stagedAsset, (row: object) => ({ assets: [row], descriptions: [] })],
    [
      'description',
      oddRows(description),
      stagedDescription,
      (row: object) => ({ assets: [], descriptions: [row] }),
    ],
  ])('is one where each %s keeps its contract, and nowhere else', (_kind, rows, schema, pageOf) => {
    const kept = rows.map((row) => schema.safeParse(JSON.parse(JSON.stringify(row))).success);

    expect(rows.map((row) => isPage(pageOf(row)))).toEqual(kept);
    expect(new Set(kept)).toEqual(new Set([true, false]));
  });
});
