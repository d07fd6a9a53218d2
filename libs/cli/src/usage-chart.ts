import type { Usage, UsageRow } from '@inventory/client/account-records';

const dayMs = 86_400_000;
/** More lines than any period of the API. */
const daysMax = 1_000;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of each day, and a line of each product, for what was charged less what was refunded. */
export function usageChart({ from, to, items }: Usage, columns: number): string {
  const assets = [...new Set(items.map(({ asset }) => asset))].toSorted();
  const charts = assets.map((asset) => {
    const rows = items.filter((row) => row.asset === asset);
    const days = sumBy(rows, ({ day }) => day);
    const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
    const count = Math.min(daysMax, Math.floor((toMs - fromMs) / dayMs) + 1);
    const ofDays = Array.from({ length: count }, (_none, index) => {
      const day = new Date(fromMs + index * dayMs).toISOString().slice(0, 10);
      return [day, days.get(day) ?? 0] as const;
    });
    const products = [...sumBy(rows, ({ product_code }) => product_code)].toSorted();
    const total = rows.reduce((sum, row) => sum + netOf(row), 0);
    const lines = [...products, [`total ${asset}`, total] as const];
    return [...barsOf(ofDays, columns), '', ...alignedLines(lines)].join('\n');
  });
  return charts.length === 0 ? `nothing was charged from ${from} to ${to}` : charts.join('\n\n');
}

type Amount = readonly [name: string, amount: number];

function barsOf(amounts: readonly Amount[], columns: number): string[] {
  const labels = amounts.map(([, amount]) => amount.toLocaleString('en'));
  const names = Math.max(...amounts.map(([name]) => name.length));
  const chars = Math.max(8, columns - names - Math.max(...labels.map((one) => one.length)) - 4);
  const largest = Math.max(1, ...amounts.map(([, amount]) => amount));
  return amounts.map(([name, amount], index) => {
    // Something is never drawn as nothing.
    const parts = amount <= 0 ? 0 : Math.max(1, Math.round((amount / largest) * chars * 8));
    const bar = '█'.repeat(Math.floor(parts / 8)) + eighths[parts % 8];
    return `${name}  ${bar}${bar && ' '}${labels[index]}`;
  });
}

function alignedLines(amounts: readonly Amount[]): string[] {
  const width = Math.max(...amounts.map(([name]) => name.length));
  return amounts.map(([name, amount]) => `${name.padEnd(width)}  ${amount.toLocaleString('en')}`);
}

/** What was charged less what was refunded, by a name of the rows. */
export function sumBy(
  rows: readonly UsageRow[],
  nameOf: (row: UsageRow) => string,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + netOf(row));
  return sums;
}

function netOf({ charged, reversed }: UsageRow): number {
  return charged - reversed;
}
