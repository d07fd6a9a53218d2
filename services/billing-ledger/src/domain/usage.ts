import type { ProjectId } from '@inventory/contracts/ids';
import type { LedgerAsset, ProductCode } from '@inventory/contracts/vocabulary';
import type { Entry } from './entry.ts';

/** What one Project used of one product in one UTC day. */
export interface UsageRow {
  /** Days since the epoch. */
  readonly day: number;
  readonly projectId: ProjectId;
  readonly productCode: ProductCode;
  readonly asset: LedgerAsset;
  /** Pages charged and refreshes settled. */
  readonly count: number;
  readonly charged: number;
  /** Given back, on the day it was. */
  readonly reversed: number;
}

/** Rows by what makes one, in the order in which they were met. */
export type Usage = Map<string, UsageRow>;

export const dayMs = 86_400_000;

/** Adds the use of an entry; most kinds have none. */
export function addUsage(usage: Usage, entry: Entry): void {
  const { asset, kind, productCode, projectId } = entry;
  const isUse = kind === 'charge' || kind === 'settle';
  if ((!isUse && kind !== 'reverse') || projectId === null || productCode === null) return;
  const day = Math.floor(entry.at / dayMs);
  const key = `${day} ${projectId} ${productCode} ${asset}`;
  const row = usage.get(key) ?? { day, projectId, productCode, asset, ...nothingUsed };
  const { consumed } = entry.change;
  usage.set(key, {
    ...row,
    count: row.count + (isUse ? 1 : 0),
    charged: row.charged + (isUse ? consumed : 0),
    reversed: row.reversed + (isUse ? 0 : 0 - consumed),
  });
}

const nothingUsed = { count: 0, charged: 0, reversed: 0 } as const;

export function listUsage(usage: Usage): UsageRow[] {
  return [...usage.values()].sort(
    (left, right) =>
      left.day - right.day ||
      compare(left.projectId, right.projectId) ||
      compare(left.productCode, right.productCode) ||
      compare(left.asset, right.asset),
  );
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
