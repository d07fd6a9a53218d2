import type { CredentialId, ProjectId } from '@inventory/contracts/ids';
import { type FundsRefusal, spendCapScopes } from '@inventory/contracts/refusal';
import type { Entry } from './entry.domain.ts';
import { type Period, periodOf, periodStartText } from './period.domain.ts';
import {
  amountOf,
  noAmounts,
  type SpendAmounts,
  type SpenderId,
  withAdded,
} from './spend-amounts.domain.ts';
import { capOf, type Terms } from './terms.domain.ts';

/**
 * What each Project and each Credential has spent in the period of the newest movement: charges plus
 * open holds, in credits or units alike, since they cost the same numbers.
 */
export interface Spend {
  readonly period: Period;
  readonly spenders: SpendAmounts;
}

export const nothingSpent: Spend = { period: 0, spenders: noAmounts };

/** Who pays: a Project, by a Credential where that is known. */
export interface Buyer {
  readonly projectId: ProjectId;
  readonly credentialId: CredentialId | null;
}

function spentIn(spend: Spend, period: Period, spenderId: SpenderId): number {
  if (spend.period !== period) return 0;
  return amountOf(spend.spenders, spenderId);
}

/**
 * What a hold or a charge moves counts in the period it was made in: what ends one of an earlier
 * period changes nothing, so who is within a cap stays there.
 */
export function spendAfter(spend: Spend, entry: Entry): Spend {
  const { projectId, credentialId } = entry;
  const moved = movedBy(entry);
  if (moved === 0 || projectId === null || entry.pastPeriod !== null) return spend;
  const period = periodOf(entry.atMs);
  const known = spend.period === period ? spend.spenders : noAmounts;
  const ofProject = withAdded(known, { spenderId: projectId, amount: moved });
  if (credentialId === null) return { period, spenders: ofProject };
  return { period, spenders: withAdded(ofProject, { spenderId: credentialId, amount: moved }) };
}

/** Why a Project, or the Credential that it pays by, may not spend so much more; null where both may. */
export function capRefusal(
  account: { readonly terms: Terms; readonly spend: Spend },
  { projectId, credentialId, required, atMs }: Buyer & { required: number; atMs: number },
): Extract<FundsRefusal, { code: 'spend_cap_reached' }> | null {
  if (account.terms.caps.length === 0) return null;
  const period = periodOf(atMs);
  const spenders = { project: projectId, credential: credentialId };
  for (const scope of spendCapScopes) {
    const spenderId = spenders[scope];
    const cap = spenderId === null ? null : capOf(account.terms, spenderId);
    if (spenderId === null || cap === null) continue;
    const spent = spentIn(account.spend, period, spenderId);
    if (spent + required <= cap) continue;
    const detail = { scope, cap, spent, resets_at: periodStartText(period + 1) };
    return { code: 'spend_cap_reached', detail };
  }
  return null;
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
