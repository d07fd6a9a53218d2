import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { newScope } from '@inventory/testkit/builders';
import { pageOfHeavyRows } from './support/heavy-pages.ts';
import { asset, description, type ScanPage } from './support/scan-builder.ts';
import {
  openStoreUnderTest,
  type Replica,
  type StoreUnderTest,
} from './support/store-under-test.ts';

const mebibyte = 1024 * 1024;
/** Of a page, unless one asset alone is larger. */
const pageBytesMax = 16 * mebibyte;

let store: StoreUnderTest;
let replica: Replica;

beforeAll(async () => {
  store = await openStoreUnderTest();
  replica = await store.start();
});
afterAll(() => store.close());

const assetsOf = (pages: readonly ScanPage[]) => pages.flatMap(({ assets }) => assets);
const descriptionsOf = (pages: readonly ScanPage[]) =>
  pages.flatMap(({ descriptions }) => descriptions);
/** A whole block, and the begin of another. */
const pagesOfHeavyRows = () => [
  pageOfHeavyRows(0, 1_000),
  pageOfHeavyRows(1_000, 2_000),
  pageOfHeavyRows(2_000, 2_100),
];
/** Without a difference that is megabytes long. */
const sameRows = (given: readonly unknown[], expected: readonly unknown[]) =>
  JSON.stringify(given) === JSON.stringify(expected);

describe('An inventory with kilobytes of text per asset (Everything is bounded) [page-size, descriptions]', () => {
  const scope = newScope();
  const pages = pagesOfHeavyRows();

  beforeAll(() => replica.save({ scope, pages, reportedTotalCount: 2_100 }));

  it.each([
    [2_000, 2],
    [777, 3],
  ])('is read completely by pages of %i, each within its bytes', async (page_size, count) => {
    const chain = await replica.client.chain(scope, { page_size });

    expect(chain).toHaveLength(count);
    for (const { text } of chain) expect(Buffer.byteLength(text)).toBeLessThan(pageBytesMax);
    expect(
      sameRows(
        chain.flatMap(({ assets }) => assets),
        assetsOf(pages),
      ),
    ).toBe(true);
    const descriptions = chain.flatMap((page) => page.descriptions);
    expect(sameRows(descriptions, descriptionsOf(pages))).toBe(true);
  });

  it('is read one by one across the documents of a block', async () => {
    for (const position of [0, 559, 560, 1_999, 2_000, 2_099]) {
      const page = await replica.client.page(scope, { page_size: 1, position });

      expect(sameRows(page.assets, assetsOf(pages).slice(position, position + 1))).toBe(true);
      expect(page.descriptions.map(({ classid }) => classid)).toEqual([String(position)]);
    }
  });

  it('keeps no document larger than a part, and none when it is erased [erase]', async () => {
    const { textBlocks } = store.collections;
    const ofIt = { scope: inventoryKeyText(scope) };
    const sizes = (await textBlocks.find(ofIt).toArray()).map((one) => one.textsRawBytes);
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4 * mebibyte);

    expect(await replica.client.erase(scope)).toBe(204);

    expect(await textBlocks.countDocuments(ofIt)).toBe(0);
  });
});

describe('An inventory with more text in another language (Everything is bounded) [another-language]', () => {
  it('keeps its revision, and gives the texts of each', async () => {
    const scope = newScope();
    const german = pageOfHeavyRows(0, 600);
    const english = { ...german, descriptions: [description('7')] };
    const first = await replica.save({ scope, pages: [english] });

    const second = await replica.save({ scope, pages: [german], language: 'german' });

    expect(second).toMatchObject({ changed: false, revisionId: first.revisionId });
    const given = await replica.client.page(scope, { language: 'german' });
    expect(sameRows(given.descriptions, german.descriptions)).toBe(true);
    expect((await replica.client.page(scope)).descriptions).toEqual(english.descriptions);
  });
});

describe('An inventory with megabytes of text per asset (Everything is bounded) [page-size]', () => {
  it('is read by pages as short as need be, at least one asset each', async () => {
    const scope = newScope();
    const value = 'x'.repeat(5 * mebibyte);
    const pages = ['1', '2'].map((id) => ({
      assets: [asset(id, { classid: id, value }), asset(`${id}0`, { classid: '9' })],
      descriptions: [description(id, '0', { value }), description('9')],
    }));
    const saved = await replica.save({ scope, pages });
    expect(saved.observedAssets).toBe(4);

    const chain = await replica.client.chain(scope);

    expect(chain.map(({ assets }) => assets.length)).toEqual([2, 2]);
    expect(
      sameRows(
        chain.flatMap(({ assets }) => assets),
        assetsOf(pages),
      ),
    ).toBe(true);
  });
});
