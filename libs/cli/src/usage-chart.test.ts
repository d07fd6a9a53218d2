import type { UsageRow } from '@inventory/client/account-records';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { usageChart } from './usage-chart.ts';

function row(day: string, charged: number, change: Partial<UsageRow> = {}): UsageRow {
  const product_code = 'platform.inventory.refresh.v1';
  return {
    day,
    project_id: 'prj_1',
    product_code,
    asset: 'credits',
    count: 1,
    charged,
    reversed: 0,
    ...change,
  };
}

test('each day has a bar of what was charged less what was refunded, days without any too, and each product its sum (Account)', () => {
  const page = { product_code: 'platform.inventory.page.v1' };
  const items = [
    row('2026-01-01', 1_200),
    row('2026-01-03', 700, { project_id: 'prj_2' }),
    row('2026-01-03', 10, { ...page, reversed: 110 }),
    row('2026-01-04', 0, { ...page, reversed: 3 }),
    row('2026-01-05', 1),
  ];

  const chart = usageChart({ from: '2026-01-01', to: '2026-01-05', items }, 30);

  expect(chart.split('\n')).toEqual([
    '2026-01-01  ███████████ 1,200',
    '2026-01-02  0',
    '2026-01-03  █████▌ 600',
    '2026-01-04  -3',
    '2026-01-05  ▏ 1',
    '',
    'platform.inventory.page.v1     -103',
    'platform.inventory.refresh.v1  1,901',
    'total credits                  1,798',
  ]);
});

test('credits and units are charts of their own; without any it says so', () => {
  const items = [row('2026-01-01', 1), row('2026-01-01', 2, { asset: 'units' })];

  const chart = usageChart({ from: '2026-01-01', to: '2026-01-01', items }, 80);

  expect(chart.match(/^total .*$/gm)).toEqual([
    'total credits                  1',
    'total units                    2',
  ]);
  expect(usageChart({ from: '2026-01-01', to: '2026-01-31', items: [] }, 80)).toBe(
    'nothing was charged from 2026-01-01 to 2026-01-31',
  );
});

test('no line is wider than the terminal, whatever the amounts; texts that are no days have no bars', () => {
  const amount = fc.integer({ min: 0, max: 2 ** 40 });
  fc.assert(
    fc.property(
      fc.array(amount, { minLength: 1 }),
      fc.integer({ min: 40, max: 200 }),
      (amounts, columns) => {
        const items = amounts.map((charged, index) =>
          row(`2026-01-${String((index % 28) + 1).padStart(2, '0')}`, charged),
        );
        const lines = usageChart({ from: '2026-01-01', to: '2026-01-28', items }, columns).split(
          '\n',
        );
        expect(lines).toHaveLength(28 + 3);
        expect(lines.slice(0, 28).filter((line) => [...line].length > columns)).toEqual([]);
      },
    ),
    { numRuns: propertyRuns(100) },
  );
  expect(usageChart({ from: 'x', to: 'y', items: [row('z', 5)] }, 80)).toContain('total credits');
});
