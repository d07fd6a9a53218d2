import type { ProjectId } from '@inventory/contracts/ids';
import type { LedgerAsset } from '@inventory/contracts/vocabulary';
import type { Balances } from './balances.domain.ts';
import type { EntryKind } from './movement.domain.ts';
import { type Period, periodOf } from './period.domain.ts';

/** How an account pays: one mode at a time. */
export type Funding =
  | { readonly mode: 'credits' }
  | { readonly mode: 'subscription'; readonly unitsPerMonth: number };

/** Every account begins prepaid. */
export const prepaid: Funding = { mode: 'credits' };

/** What an account pays with now. */
export function fundingAsset(funding: Funding): LedgerAsset {
  return funding.mode === 'subscription' ? 'units' : 'credits';
}

export function insufficientCode(asset: LedgerAsset) {
  return `insufficient_${asset}` as const;
}

/** What one configure sets; everything else about the account stays as it is. */
export type Configuration =
  | { readonly sets: 'funding'; readonly funding: Funding }
  /** Null takes the cap away. */
  | { readonly sets: 'spend_cap'; readonly projectId: ProjectId; readonly cap: number | null }
  /** Null takes the alert away. */
  | { readonly sets: 'balance_alert'; readonly threshold: number | null };

export function isSameConfiguration(left: Configuration, right: Configuration): boolean {
  return describe(left) === describe(right);
}

function describe(configuration: Configuration): string {
  switch (configuration.sets) {
    case 'funding': {
      const { funding } = configuration;
      return `funding ${funding.mode === 'credits' ? 'credits' : funding.unitsPerMonth}`;
    }
    case 'spend_cap':
      return `spend_cap ${configuration.projectId} ${configuration.cap}`;
    case 'balance_alert':
      return `balance_alert ${configuration.threshold}`;
  }
}

/** Most credits or units that a Project may spend in one period. */
export interface SpendCap {
  readonly projectId: ProjectId;
  readonly cap: number;
}

/** Armed while at least the threshold is available; each crossing is reported once. */
export interface BalanceAlert {
  readonly threshold: number;
  readonly isArmed: boolean;
}

/** How an account pays and what limits it: what its configure entries add up to. */
export interface Terms {
  readonly funding: Funding;
  /** Newest period whose allowance was granted; 0 before the first. */
  readonly allowedPeriod: Period;
  readonly caps: readonly SpendCap[];
  readonly alert: BalanceAlert | null;
}

export const firstTerms: Terms = {
  funding: prepaid,
  allowedPeriod: 0,
  caps: [],
  alert: null,
};

/** Less than the threshold became available. */
export interface LowBalance {
  readonly threshold: number;
  readonly available: number;
}

type AllBalances = Readonly<Record<LedgerAsset, Balances>>;

/** The terms after an entry; `balances` are those after it. */
export function termsAfter(
  terms: Terms,
  entry: {
    readonly kind: EntryKind;
    readonly at: number;
    readonly configured: Configuration | null;
  },
  balances: AllBalances,
): Terms {
  const next = entry.configured === null ? terms : configured(terms, entry.configured);
  if (entry.kind === 'allowance') return { ...next, allowedPeriod: periodOf(entry.at) };
  // What a month begins with is judged with the entry behind it, not on its way there.
  if (next.alert === null || entry.kind === 'expire') return next;
  const isArmed = payableAmount(next, balances) >= next.alert.threshold;
  if (isArmed === next.alert.isArmed) return next;
  return { ...next, alert: { ...next.alert, isArmed } };
}

/** The low-balance alert of an entry that crosses the threshold; null for any other entry. */
export function crossedAlert(
  terms: Terms,
  configuration: Configuration | null,
  balances: AllBalances,
): LowBalance | null {
  const next = configuration === null ? terms : configured(terms, configuration);
  if (!next.alert?.isArmed || configuration?.sets === 'balance_alert') return null;
  const available = payableAmount(next, balances);
  const { threshold } = next.alert;
  return available < threshold ? { threshold, available } : null;
}

export function capOf(terms: Terms, projectId: ProjectId): number | null {
  return terms.caps.find((cap) => cap.projectId === projectId)?.cap ?? null;
}

function payableAmount(terms: Terms, balances: AllBalances): number {
  return balances[fundingAsset(terms.funding)].available;
}

function configured(terms: Terms, configuration: Configuration): Terms {
  switch (configuration.sets) {
    case 'funding':
      return { ...terms, funding: configuration.funding };
    case 'spend_cap': {
      const { projectId, cap } = configuration;
      const others = terms.caps.filter((other) => other.projectId !== projectId);
      return { ...terms, caps: cap === null ? others : [...others, { projectId, cap }] };
    }
    case 'balance_alert': {
      const { threshold } = configuration;
      return { ...terms, alert: threshold === null ? null : { threshold, isArmed: false } };
    }
  }
}
