import type { Usage } from '../api/wire-types.ts';
import { stacked, totalsOf, usageByDay } from './usage-by-day.ts';

const refresh = 'platform.inventory.refresh.v1';
const page = 'platform.inventory.current.page.v1';
const row = (day: string, product: string, charged: number, reversed = 0) =>
  ({
    day,
    project_id: 'prj_1',
    product_code: product,
    asset: 'credits',
    count: 1,
    charged,
    reversed,
  }) as Usage['items'][number];

/** Two Projects on the last day, and a day without usage. */
const usage: Usage = {
  from: '2026-01-30',
  to: '2026-02-01',
  items: [
    row('2026-01-30', refresh, 10),
    row('2026-02-01', refresh, 5),
    row('2026-02-01', refresh, 7),
    row('2026-02-01', page, 4, 1),
  ],
};

test('a day has what was paid less what was refunded, by product; a day without usage is 0', () => {
  const { starts, series } = usageByDay(usage);

  expect(starts.map((start) => new Date(start * 1_000).toISOString().slice(0, 10))).toEqual([
    '2026-01-30',
    '2026-01-31',
    '2026-02-01',
  ]);
  expect(series).toEqual([
    { product: refresh, paid: [10, 0, 12] },
    { product: page, paid: [0, 0, 3] },
  ]);
});

test('bars are stacked in the order of the products, the topmost first', () => {
  expect(stacked(usageByDay(usage))).toEqual([
    { product: page, paid: [0, 0, 3], upTo: [10, 0, 15] },
    { product: refresh, paid: [10, 0, 12], upTo: [10, 0, 12] },
  ]);
});

test('totals are of all days, by product', () => {
  expect(totalsOf(usage)).toEqual([
    { product: refresh, asset: 'credits', count: 3, charged: 22, reversed: 0 },
    { product: page, asset: 'credits', count: 1, charged: 4, reversed: 1 },
  ]);
});
