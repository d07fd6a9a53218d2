import type { IdentityStatus } from '../egress/egress-identity.domain.ts';
import type { OpenPhase, WaitingPhase } from './refresh.domain.ts';

export interface PhaseCount<Phase> {
  readonly phase: Phase;
  readonly count: number;
  /** When the oldest of them was requested; null when there is none. */
  readonly oldestAtMs: number | null;
}

/** The state of all refreshes and identities, whichever replica works on them. */
export interface RefreshSurvey {
  readonly open: readonly PhaseCount<OpenPhase>[];
  readonly stuck: readonly PhaseCount<WaitingPhase>[];
  readonly identities: readonly { readonly state: IdentityStatus; readonly count: number }[];
}
