import type { Clock } from '@inventory/runtime/clock';
import {
  type IdentityLimits,
  type IdentityStatus,
  identityStatus,
  identityStatuses,
} from '../egress/egress-identity.domain.ts';
import type { IdentityStore } from '../egress/identity-store.ts';
import type { OpenPhase, WaitingPhase } from './refresh.domain.ts';
import type { PhaseCount, RefreshSurveyStore } from './refresh-survey-store.ts';

/** The state of all refreshes and identities, whichever replica works on them. */
export interface RefreshSurvey {
  readonly open: readonly PhaseCount<OpenPhase>[];
  readonly stuck: readonly PhaseCount<WaitingPhase>[];
  readonly identities: readonly { readonly state: IdentityStatus; readonly count: number }[];
}

export interface SurveyDeps {
  readonly store: RefreshSurveyStore;
  readonly identities: Pick<IdentityStore, 'loadIdentities'>;
  readonly identityIds: readonly string[];
  readonly limits: IdentityLimits;
  readonly clock: Clock;
}

export interface SurveyCache {
  /** Reads it again; a failure leaves the last survey. */
  update(): Promise<void>;
  /** Null before the first. */
  readonly latest: RefreshSurvey | null;
}

export function cacheSurvey(deps: SurveyDeps): SurveyCache {
  const { store, limits, clock } = deps;
  let latest: RefreshSurvey | null = null;

  return {
    async update() {
      const [open, stuck, loaded] = await Promise.all([
        store.countOpen(),
        store.countStuck(),
        deps.identities.loadIdentities(deps.identityIds),
      ]);
      const statuses = loaded.map((identity) => identityStatus(identity, limits, clock.now()));
      const identities = identityStatuses.map((state) => ({
        state,
        count: statuses.filter((status) => status === state).length,
      }));
      latest = { open, stuck, identities };
    },
    get latest() {
      return latest;
    },
  };
}
