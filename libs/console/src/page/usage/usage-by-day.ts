import type { Usage } from '../api/wire-types.ts';

type UsageItem = Usage['items'][number];

export const productNames: Readonly<Record<string, string>> = {
  'platform.inventory.refresh.v1': 'Refreshes',
  'platform.inventory.watch.v1': 'Watches',
  'platform.inventory.current.page.v1': 'Saved pages',
  'platform.inventory.changes.page.v1': 'Changes',
  'platform.inventory.page.v1': 'Live pages',
};

const dayMs = 86_400_000;

/** What was paid on each day of the report by each of its products, days without usage included. */
export interface UsageDays {
  /** Seconds of the start of each day, UTC. */
  readonly starts: readonly number[];
  readonly series: readonly { readonly product: string; readonly paid: readonly number[] }[];
}

export function usageByDay({ from, to, items }: Usage): UsageDays {
  const firstMs = Date.parse(from);
  const count = (Date.parse(to) - firstMs) / dayMs + 1;
  const products = Object.keys(productNames).filter((product) =>
    items.some((item) => item.product_code === product),
  );
  return {
    starts: Array.from({ length: count }, (_, day) => (firstMs + day * dayMs) / 1_000),
    series: products.map((product) => {
      const paid = Array<number>(count).fill(0);
      for (const item of items.filter(({ product_code: code }) => code === product)) {
        const day = (Date.parse(item.day) - firstMs) / dayMs;
        paid[day] = (paid[day] ?? 0) + item.charged - item.reversed;
      }
      return { product, paid };
    }),
  };
}

/** Bars on top of each other: the upper edge of each, the topmost series first. */
export function stacked(days: UsageDays): { product: string; paid: number[]; upTo: number[] }[] {
  const sums = days.starts.map(() => 0);
  const layers = days.series.map(({ product, paid }) => {
    for (const [day, amount] of paid.entries()) sums[day] = (sums[day] ?? 0) + amount;
    return { product, paid: [...paid], upTo: [...sums] };
  });
  return layers.toReversed();
}

export interface UsageTotal extends Pick<UsageItem, 'asset' | 'count' | 'charged' | 'reversed'> {
  readonly product: string;
}

/** Of all days, by product and by what pays. */
export function totalsOf({ items }: Usage): readonly UsageTotal[] {
  const totals = new Map<string, UsageTotal>();
  for (const { product_code: product, asset, count, charged, reversed } of items) {
    const key = `${product} ${asset}`;
    const known = totals.get(key) ?? { product, asset, count: 0, charged: 0, reversed: 0 };
    totals.set(key, {
      ...known,
      count: known.count + count,
      charged: known.charged + charged,
      reversed: known.reversed + reversed,
    });
  }
  return [...totals.values()];
}
