import { exportColumns } from '@inventory/contracts/vocabulary';
import type { Asset, Changes, Description } from '../api/wire-types.ts';
import { loadChanges, markedFirst, markOf } from './changes.ts';
import { itemsCsv } from './item-csv.ts';
import { compareDigits, filterItems, initialsOf, itemKindOf, itemOf, sortItems } from './items.ts';
import { visibleRows } from './visible-rows.ts';

const assetOf = (assetid: string, more: Partial<Asset> = {}): Asset => ({
  appid: 730,
  contextid: '2',
  assetid,
  classid: '1',
  instanceid: '0',
  amount: '1',
  ...more,
});
const descriptionOf = (more: Partial<Description>): Description => ({
  appid: 730,
  classid: '1',
  instanceid: '0',
  ...more,
});
const item = (assetid: string, name: string, type = 'Knife', amount = '1') =>
  itemOf(assetOf(assetid, { amount }), itemKindOf(descriptionOf({ name, type })));

const items = [
  item('30', 'Golden Crown', 'Hat'),
  item('9', 'frosted blade'),
  item('100', 'Case 10', 'Crate', '90071992547409931'),
  item('7', 'Case 9', 'Crate', '9'),
  itemOf(assetOf('5', { classid: '77' }), null),
];
const idsOf = (given: readonly { asset: { assetid: string } }[]) =>
  given.map(({ asset }) => asset.assetid);

describe('items', () => {
  test('are found by all words of the filter in name and type, or by their id', () => {
    expect(idsOf(filterItems(items, 'CASE crate'))).toEqual(['100', '7']);
    expect(idsOf(filterItems(items, ' 30 '))).toEqual(['30']);
    expect(filterItems(items, 'case hat')).toEqual([]);
    expect(filterItems(items, '')).toBe(items);
  });

  test('are sorted as people read names, with the order of the platform within equals', () => {
    expect(idsOf(sortItems(items, 'name'))).toEqual(['7', '100', '9', '30', '5']);
    expect(idsOf(sortItems(items, 'type'))).toEqual(['5', '100', '7', '30', '9']);
    expect(sortItems(items, 'platform')).toBe(items);
  });

  test('are sorted by amounts that exceed 2^53', () => {
    expect(idsOf(sortItems(items, 'amount')).slice(0, 2)).toEqual(['100', '7']);
    expect(compareDigits('90071992547409931', '90071992547409930')).toBeGreaterThan(0);
  });

  test.each([
    ['Golden Crown', 'GC'],
    ['★ Karambit', 'K'],
    ['黄金 王冠', '黄王'],
    ['…', ''],
  ])('%s has the initials "%s"', (title, initials) => {
    expect(initialsOf(title)).toBe(initials);
  });

  test('as CSV have the columns of the export of the API, and no formula', () => {
    const [header, ...lines] = itemsCsv([item('1', '=1+1'), items[4] as never])
      .trimEnd()
      .split('\r\n');

    expect(header).toBe([...exportColumns.asset, ...exportColumns.description].join(','));
    expect(lines).toEqual(["1,1,0,730,2,1,,,'=1+1,Knife,,", '5,77,0,730,2,1,,,,,,']);
  });
});

describe('changes', () => {
  const page = (more: Partial<Changes>) =>
    ({
      added: [],
      removed: [],
      changed: [],
      pagination: { has_more: false, next_cursor: null },
      ...more,
    }) as unknown as Changes;

  test('of several pages are merged; each page has a key of its own', async () => {
    const pages = [
      page({ added: [assetOf('30')], pagination: { has_more: true, next_cursor: 'next' } }),
      page({ removed: [assetOf('1')], changed: [{ asset: assetOf('7'), amount_before: '3' }] }),
    ];
    const asked: unknown[] = [];
    const operations = {
      changes: async (_scope: object, query: object, key: string) => {
        asked.push([query, key]);
        return { data: pages[asked.length - 1], meta: { credits_charged: 1 } } as never;
      },
    };
    const scope = { platform_id: '1', app_id: 730, context_id: 2 };
    const changes = await loadChanges(operations, scope, 'invrev_1', 'key');

    expect(asked).toEqual([
      [{ since: 'invrev_1' }, 'key-0'],
      [{ since: 'invrev_1', cursor: 'next' }, 'key-1'],
    ]);
    expect(changes.creditsCharged).toBe(2);
    expect(idsOf(changes.removed.map((asset) => ({ asset })))).toEqual(['1']);
    expect(idsOf(markedFirst(items, changes))).toEqual(['30', '7', '9', '100', '5']);
    expect(items.map((one) => markOf(one, changes))).toEqual([
      'added',
      null,
      null,
      'changed',
      null,
    ]);
  });
});

test('of 250,000 items those in view are rendered, and a few around them', () => {
  const viewport = { height: 600, rowHeight: 60, columns: 4 };
  const top = visibleRows(250_000, { ...viewport, scrollTop: 0 });
  const middle = visibleRows(250_000, { ...viewport, scrollTop: 1_000_000 });
  const end = visibleRows(250_000, { ...viewport, scrollTop: 62_500 * 60 - 600 });

  expect([top.from, top.heightTotal]).toEqual([0, 62_500 * 60]);
  expect(end.to).toBe(250_000);
  for (const { from, to, offsetTop } of [top, middle, end]) {
    expect(to - from).toBeLessThan(100);
    expect(offsetTop).toBe((from / 4) * 60);
  }
});
