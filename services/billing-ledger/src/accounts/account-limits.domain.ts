import type { ProjectId } from '@inventory/contracts/ids';
import type { Period } from './period.domain.ts';
import { amountOf } from './project-amounts.domain.ts';
import type { Spend } from './spend.domain.ts';
import type { Terms } from './terms.domain.ts';

/** A spend cap and what its Project has spent in the period of {@link Standing}. */
export interface CapStanding {
  readonly projectId: ProjectId;
  readonly cap: number;
  readonly spent: number;
}

/** What limits an account beside its balances: enough to answer a read without a fold. */
export interface Standing {
  readonly caps: readonly CapStanding[];
  /** The period that `spent` is of; 0 before the first purchase. */
  readonly period: Period;
  readonly alertThreshold: number | null;
}

export function standingOf({ terms, spend }: { terms: Terms; spend: Spend }): Standing {
  return {
    caps: terms.caps.map(({ projectId, cap }) => ({
      projectId,
      cap,
      spent: amountOf(spend.projects, projectId),
    })),
    period: terms.caps.length === 0 ? 0 : spend.period,
    alertThreshold: terms.alert?.threshold ?? null,
  };
}

/** What a capped Project has spent in a period. */
export function spentOf(standing: Standing, { spent }: CapStanding, period: Period): number {
  return standing.period === period ? spent : 0;
}
