import type { Clock } from '@inventory/runtime/clock';
import {
  type IdentityLimits,
  type IdentityState,
  type IdentityStatus,
  identityStatus,
  identityStatuses,
} from '../egress/egress-identity.domain.ts';
import type { RefreshSurvey, RefreshSurveyStore } from './refresh-survey-store.ts';

/** The last survey: made by the replica that holds the planner lease, read by all others. */
export interface SurveyPublisher {
  readonly isHeld: boolean;
  survey: RefreshSurvey | null;
}

const everyMs = 10_000;

/**
 * Counts for all replicas while this one plans, at most every ten seconds: what a survey reads follows what
 * exists, so one replica reads it. A failure leaves the last survey. To be called at each scrape.
 */
export function surveyRefreshes(
  store: RefreshSurveyStore,
  identityStates: () => Promise<readonly IdentityState[]>,
  limits: IdentityLimits,
  planner: SurveyPublisher,
  clock: Clock,
): () => Promise<void> {
  let countedMs = Number.NEGATIVE_INFINITY;

  return async () => {
    if (!planner.isHeld || Math.abs(clock.now() - countedMs) < everyMs) return;
    countedMs = clock.now();
    const [open, stuck, identities] = await Promise.all([
      store.countOpen(),
      store.countStuck(),
      identityStates(),
    ]);
    const statuses = identities.map((identity) => identityStatus(identity, limits, clock.now()));
    const countOf = (state: IdentityStatus) => statuses.filter((one) => one === state).length;
    planner.survey = {
      open,
      stuck,
      identities: identityStatuses.map((state) => ({ state, count: countOf(state) })),
    };
  };
}
