import type { ProjectId } from '@inventory/contracts/ids';
import type { FundsRefusal } from '@inventory/contracts/refusal';
import type { Entry } from './entry.domain.ts';
import { type Period, periodOf, periodStartText } from './period.domain.ts';
import { amountOf, noAmounts, type ProjectAmounts, withAdded } from './spend-amounts.domain.ts';
import { capOf, type Terms } from './terms.domain.ts';

/**
 * What each Project has spent in the period of the newest movement: charges plus open holds, in
 * credits or units alike, since they cost the same numbers.
 */
export interface Spend {
  readonly period: Period;
  readonly projects: ProjectAmounts;
}

export const nothingSpent: Spend = { period: 0, projects: noAmounts };

function spentIn(spend: Spend, period: Period, projectId: ProjectId): number {
  if (spend.period !== period) return 0;
  return amountOf(spend.projects, projectId);
}

/**
 * What a hold or a charge moves counts in the period it was made in: what ends one of an earlier
 * period changes nothing, so a Project that is within its cap stays there.
 */
export function spendAfter(spend: Spend, entry: Entry): Spend {
  const { projectId } = entry;
  const moved = movedBy(entry);
  if (moved === 0 || projectId === null || entry.pastPeriod !== null) return spend;
  const period = periodOf(entry.atMs);
  const projects = spend.period === period ? spend.projects : noAmounts;
  return { period, projects: withAdded(projects, { projectId, amount: moved }) };
}

/** Why a Project may not spend so much more; null where it may. */
export function capRefusal(
  account: { readonly terms: Terms; readonly spend: Spend },
  wanted: { readonly projectId: ProjectId; readonly required: number; readonly atMs: number },
): FundsRefusal | null {
  const { projectId, required, atMs } = wanted;
  const cap = capOf(account.terms, projectId);
  if (cap === null) return null;
  const period = periodOf(atMs);
  const spent = spentIn(account.spend, period, projectId);
  if (spent + required <= cap) return null;
  const detail = { cap, spent, resets_at: periodStartText(period + 1) };
  return { code: 'spend_cap_reached', detail };
}

function movedBy({ kind, change }: Entry): number {
  switch (kind) {
    case 'reserve':
      return change.held;
    case 'charge':
    case 'reverse':
      return change.consumed;
    case 'settle':
    case 'release':
      // What was held and is not charged.
      return change.held + change.consumed;
    default:
      return 0;
  }
}
