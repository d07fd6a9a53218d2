import type { ClosedReason } from '@inventory/contracts/vocabulary';

/** Whether refreshes are admitted: shared by all replicas. */
export interface AdmissionState {
  readonly operatorClosed: boolean;
  /** Closed by the number of outstanding refreshes; reopens below the lower mark. */
  readonly countClosed: boolean;
  readonly outstanding: number;
}

/** The admission state with the number of counts it has seen: it changes with each. */
export interface CountedAdmission extends AdmissionState {
  readonly counts: number;
}

const reopenShare = 0.9;

/** Closes at the limit and reopens at 90 % of it: the difference keeps admission from oscillating. */
export function admissionAfterCount(
  state: AdmissionState,
  outstanding: number,
  outstandingMax: number,
): AdmissionState {
  const countClosed = state.countClosed
    ? outstanding > outstandingMax * reopenShare
    : outstanding >= outstandingMax;
  return { ...state, countClosed, outstanding };
}

/** Why a refresh of this app is not admitted now; null when it is. */
export function whyClosed(state: AdmissionState, appBreakerOpen: boolean): ClosedReason | null {
  if (state.operatorClosed) return 'operator_closed';
  if (state.countClosed) return 'global_outstanding_closed';
  return appBreakerOpen ? 'platform_unavailable' : null;
}
