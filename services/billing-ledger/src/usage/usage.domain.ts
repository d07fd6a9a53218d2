import type { ProjectId } from '@inventory/contracts/ids';
import type { LedgerAsset, ProductCode } from '@inventory/contracts/vocabulary';
import type { Entry } from '../accounts/entry.domain.ts';

/** What was used of one product, paid in one asset. */
export interface ProductUsage {
  readonly productCode: ProductCode;
  readonly asset: LedgerAsset;
  /** Pages charged and refreshes settled. */
  readonly count: number;
  readonly charged: number;
  /** Refunded, on the day of the refund. */
  readonly reversed: number;
}

/** A UTC day of one Project. */
export interface DayKey {
  /** Days since the epoch. */
  readonly day: number;
  readonly projectId: ProjectId;
}

/** What one Project used in one UTC day: the sum of its entries up to a position. */
export interface DayUsage extends DayKey {
  /** By product and asset. */
  readonly products: readonly ProductUsage[];
  /** The newest entry that is counted. */
  readonly throughSeq: number;
}

/** A use and the day and Project that it counts for. */
interface Use extends DayKey {
  readonly product: ProductUsage;
}

const dayMs = 86_400_000;

/** Null for an entry without use, as of most kinds. */
function useOf(entry: Entry): Use | null {
  const { asset, kind, productCode, projectId } = entry;
  const isUse = kind === 'charge' || kind === 'settle';
  if ((!isUse && kind !== 'reverse') || projectId === null || productCode === null) return null;
  const { consumed } = entry.change;
  const amounts = isUse
    ? { count: entry.pageCount ?? 1, charged: consumed, reversed: 0 }
    : { count: 0, charged: 0, reversed: 0 - consumed };
  return {
    day: Math.floor(entry.atMs / dayMs),
    projectId,
    product: { productCode, asset, ...amounts },
  };
}

/** The days and Projects by {@link dayKeyOf}. */
export type UsageByDay = Map<string, DayUsage>;

export function dayKeyOf({ day, projectId }: DayKey): string {
  return `${day} ${projectId}`;
}

/** The days and Projects that entries count for. */
export function daysOf(entries: readonly Entry[]): DayKey[] {
  const uses = entries.map(useOf).filter((use) => use !== null);
  return [...new Map(uses.map((use) => [dayKeyOf(use), use])).values()];
}

/** Counts an entry once: one that its day has counted already changes nothing. */
export function addUse(usage: UsageByDay, entry: Entry): void {
  const use = useOf(entry);
  if (use === null) return;
  const { day, projectId, product } = use;
  const key = dayKeyOf(use);
  const { products, throughSeq } = usage.get(key) ?? { products: [], throughSeq: 0 };
  if (entry.seq <= throughSeq) return;
  const counted = withProduct(products, product);
  usage.set(key, { day, projectId, products: counted, throughSeq: entry.seq });
}

function withProduct(
  products: readonly ProductUsage[],
  added: ProductUsage,
): readonly ProductUsage[] {
  const index = products.findIndex((one) => compareProducts(one, added) === 0);
  const known = products[index];
  if (known === undefined) return [...products, added].sort(compareProducts);
  return products.with(index, {
    ...known,
    count: known.count + added.count,
    charged: known.charged + added.charged,
    reversed: known.reversed + added.reversed,
  });
}

function compareProducts(left: ProductUsage, right: ProductUsage): number {
  return compare(left.productCode, right.productCode) || compare(left.asset, right.asset);
}

/** By day and Project. */
export function listDays(usage: UsageByDay): DayUsage[] {
  return [...usage.values()].sort(
    (left, right) => left.day - right.day || compare(left.projectId, right.projectId),
  );
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
