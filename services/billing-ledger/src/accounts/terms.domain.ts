import type { CredentialId, ProjectId } from '@inventory/contracts/ids';
import type { BillingConfiguration, FundingSetting } from '@inventory/contracts/messages/billing';
import type { LedgerAsset } from '@inventory/contracts/vocabulary';
import { amountMax, type Balances } from './balances.domain.ts';
import type { EntryKind } from './movement.domain.ts';
import { type Period, periodOf } from './period.domain.ts';
import type { SpenderId } from './spend-amounts.domain.ts';

/** Every account begins prepaid. */
export const prepaid: FundingSetting = { mode: 'credits' };

/** What an account pays with now. */
export function fundingAsset(funding: FundingSetting): LedgerAsset {
  return funding.mode === 'subscription' ? 'units' : 'credits';
}

export function insufficientCode(asset: LedgerAsset) {
  return `insufficient_${asset}` as const;
}

export function isSameConfiguration(
  left: BillingConfiguration,
  right: BillingConfiguration,
): boolean {
  return describe(left) === describe(right);
}

function describe(configuration: BillingConfiguration): string {
  switch (configuration.sets) {
    case 'funding': {
      const { funding } = configuration;
      return `funding ${funding.mode === 'credits' ? 'credits' : funding.unitsPerMonth}`;
    }
    case 'spend_cap':
      return `spend_cap ${configuration.projectId} ${configuration.cap}`;
    case 'credential_spend_cap':
      return `credential_spend_cap ${configuration.credentialId} ${configuration.cap}`;
    case 'balance_alert':
      return `balance_alert ${configuration.threshold}`;
  }
}

/** Who a cap is of. */
export type CapOwner = { readonly projectId: ProjectId } | { readonly credentialId: CredentialId };

/** Most credits or units that a Project, or a Credential, may spend in one period. */
type SpendCap = CapOwner & { readonly cap: number };

export function spenderOf(owner: CapOwner): SpenderId {
  return 'projectId' in owner ? owner.projectId : owner.credentialId;
}

/** Armed while at least the threshold is available; each crossing is reported once. */
export interface BalanceAlert {
  readonly threshold: number;
  readonly isArmed: boolean;
}

/** How an account pays. */
export interface FundingTerms {
  readonly funding: FundingSetting;
  /** Newest period whose allowance was granted; 0 before the first. */
  readonly allowedPeriod: Period;
}

/** How an account pays and what limits it: what its configure entries add up to. */
export interface Terms extends FundingTerms {
  readonly caps: readonly SpendCap[];
  readonly alert: BalanceAlert | null;
}

export const firstTerms: Terms = {
  funding: prepaid,
  allowedPeriod: 0,
  caps: [],
  alert: null,
};

/**
 * What a subscription grants now, once per period however often the funding is switched; 0 where
 * nothing is due. Beyond what is exact there is no allowance; the account must not be stuck then.
 */
export function dueAllowance(
  { funding, allowedPeriod }: FundingTerms,
  units: Balances,
  atMs: number,
): number {
  if (funding.mode === 'credits' || allowedPeriod >= periodOf(atMs)) return 0;
  return Math.min(funding.unitsPerMonth, amountMax - units.issued);
}

/** Less than the threshold became available. */
export interface LowBalance {
  readonly threshold: number;
  readonly available: number;
}

type AllBalances = Readonly<Record<LedgerAsset, Balances>>;

/** What an entry sets, and when. */
interface Configured {
  readonly atMs: number;
  readonly configured: BillingConfiguration | null;
}

/** What of an entry decides about terms. */
interface TermsEntry extends Configured {
  readonly kind: EntryKind;
}

/** The terms after an entry; `balances` are those after it. */
export function termsAfter(terms: Terms, entry: TermsEntry, balances: AllBalances): Terms {
  const next = entry.configured === null ? terms : configured(terms, entry.configured);
  switch (entry.kind) {
    // The alert is judged by the entry that a month begins for: before it, it is only armed.
    case 'expire':
      return next;
    case 'allowance': {
      const allowed = { ...next, allowedPeriod: periodOf(entry.atMs) };
      return next.alert?.isArmed ? allowed : withAlertAt(allowed, entry.atMs, balances);
    }
    default:
      return withAlertAt(next, entry.atMs, balances);
  }
}

/** Armed while the threshold is available. */
function withAlertAt(terms: Terms, atMs: number, balances: AllBalances): Terms {
  const { alert } = terms;
  if (alert === null) return terms;
  const isArmed = payableAmount(terms, balances, atMs) >= alert.threshold;
  return isArmed === alert.isArmed ? terms : { ...terms, alert: { ...alert, isArmed } };
}

/** The low-balance alert of an entry that crosses the threshold; null for any other entry. */
export function crossedAlert(
  terms: Terms,
  { configured: configuration, atMs }: Configured,
  balances: AllBalances,
): LowBalance | null {
  const next = configuration === null ? terms : configured(terms, configuration);
  if (!next.alert?.isArmed || configuration?.sets === 'balance_alert') return null;
  const available = payableAmount(next, balances, atMs);
  const { threshold } = next.alert;
  return available < threshold ? { threshold, available } : null;
}

export function capOf(terms: Terms, spenderId: SpenderId): number | null {
  return terms.caps.find((cap) => spenderOf(cap) === spenderId)?.cap ?? null;
}

/** What a command at this time could pay with: a switch to a subscription has its month at once. */
function payableAmount(terms: Terms, { credits, units }: AllBalances, atMs: number): number {
  if (terms.funding.mode === 'credits') return credits.available;
  return units.available + dueAllowance(terms, units, atMs);
}

function withCap(terms: Terms, owner: CapOwner, cap: number | null): Terms {
  const others = terms.caps.filter((other) => spenderOf(other) !== spenderOf(owner));
  return { ...terms, caps: cap === null ? others : [...others, { ...owner, cap }] };
}

function configured(terms: Terms, configuration: BillingConfiguration): Terms {
  switch (configuration.sets) {
    case 'funding':
      return { ...terms, funding: configuration.funding };
    case 'spend_cap':
      return withCap(terms, { projectId: configuration.projectId }, configuration.cap);
    case 'credential_spend_cap':
      return withCap(terms, { credentialId: configuration.credentialId }, configuration.cap);
    case 'balance_alert': {
      const { threshold } = configuration;
      return { ...terms, alert: threshold === null ? null : { threshold, isArmed: false } };
    }
  }
}
