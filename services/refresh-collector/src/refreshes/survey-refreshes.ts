import type { Clock } from '@inventory/runtime/clock';
import {
  type IdentityLimits,
  type IdentityStanding,
  identityStandings,
  standingOf,
} from '../egress/egress-identity.domain.ts';
import type { IdentityStore } from '../egress/identity-store.ts';
import type { OpenPhase, WaitingPhase } from './refresh.domain.ts';
import type { PhaseCount, RefreshSurveyStore } from './refresh-survey-store.ts';

/** What operators are told of all refreshes and identities, whichever replica works on them. */
export interface RefreshSurvey {
  readonly open: readonly PhaseCount<OpenPhase>[];
  readonly stuck: readonly PhaseCount<WaitingPhase>[];
  readonly identities: readonly { readonly state: IdentityStanding; readonly count: number }[];
}

export interface SurveyDeps {
  readonly store: RefreshSurveyStore;
  readonly identities: Pick<IdentityStore, 'load'>;
  readonly identityIds: readonly string[];
  readonly limits: IdentityLimits;
  readonly clock: Clock;
}

export interface SurveyKeeper {
  /** Looks again; a failure leaves the last survey as it is. */
  round(): Promise<void>;
  /** Null before the first. */
  readonly latest: RefreshSurvey | null;
}

export function keepSurvey(deps: SurveyDeps): SurveyKeeper {
  const { store, limits, clock } = deps;
  let latest: RefreshSurvey | null = null;

  return {
    async round() {
      const [open, stuck, loaded] = await Promise.all([
        store.open(),
        store.stuck(),
        deps.identities.load(deps.identityIds),
      ]);
      const standings = loaded.map((identity) => standingOf(identity, limits, clock.now()));
      const identities = identityStandings.map((state) => ({
        state,
        count: standings.filter((standing) => standing === state).length,
      }));
      latest = { open, stuck, identities };
    },
    get latest() {
      return latest;
    },
  };
}
