import type { Period } from './period.domain.ts';
import type { Spend } from './spend.domain.ts';
import { amountOf } from './spend-amounts.domain.ts';
import { spenderOf, type Terms } from './terms.domain.ts';

/** A spend cap and what its owner has spent in the period of {@link AccountLimits}. */
export type CapUse = Terms['caps'][number] & { readonly spent: number };

/** What limits an account beside its balances: enough for a read without a fold. */
export interface AccountLimits {
  readonly caps: readonly CapUse[];
  /** The period that `spent` is of; 0 before the first purchase. */
  readonly period: Period;
  readonly alertThreshold: number | null;
}

export const noLimits: AccountLimits = { caps: [], period: 0, alertThreshold: null };

export function limitsOf({ terms, spend }: { terms: Terms; spend: Spend }): AccountLimits {
  return {
    caps: terms.caps.map((cap) => ({ ...cap, spent: amountOf(spend.spenders, spenderOf(cap)) })),
    period: terms.caps.length === 0 ? 0 : spend.period,
    alertThreshold: terms.alert?.threshold ?? null,
  };
}

/** What the owner of a cap has spent in a period. */
export function spentOf(limits: AccountLimits, { spent }: CapUse, period: Period): number {
  return limits.period === period ? spent : 0;
}
