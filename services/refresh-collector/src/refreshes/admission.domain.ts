import type { AdmissionReason } from '@inventory/contracts/vocabulary';

/** The shared latch, as every replica reads it. */
export interface AdmissionLatch {
  readonly operatorClosed: boolean;
  /** Closed by the number of outstanding refreshes; reopens below the lower mark. */
  readonly countClosed: boolean;
  readonly outstanding: number;
}

const reopenShare = 0.9;

/** Closes at the limit and reopens at 90 % of it, so that it does not flutter. */
export function latchAfterCount(
  latch: AdmissionLatch,
  outstanding: number,
  outstandingMax: number,
): AdmissionLatch {
  const countClosed = latch.countClosed
    ? outstanding > outstandingMax * reopenShare
    : outstanding >= outstandingMax;
  return { ...latch, countClosed, outstanding };
}

/** Why a refresh of this app is not admitted now; null when it is. */
export function closedReason(
  latch: AdmissionLatch,
  appBreakerOpen: boolean,
): AdmissionReason | null {
  if (latch.operatorClosed) return 'operator_closed';
  if (latch.countClosed) return 'global_outstanding_closed';
  return appBreakerOpen ? 'platform_unavailable' : null;
}
