import type { ClientEnvironment } from './client-environment.ts';
import { InventoryError, RefreshNotFinishedError } from './errors.ts';
import type { RefreshAnswer, RefreshRecord } from './records.ts';
import { afterMs } from './retry-policy.ts';

export interface WaitPlan {
  readonly refreshId: string;
  /** The acceptance, when it is known: its Retry-After is waited before the first look. */
  readonly accepted: RefreshAnswer | null;
  /** Reads the status, at this moment at the latest. */
  readonly read: (refreshId: string, endsAtMs: number) => Promise<RefreshAnswer>;
  /** Told of every record that is seen, the accepted one and the terminal one included. */
  readonly onProgress: ((record: RefreshRecord) => void) | undefined;
  readonly endsAtMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Where no Retry-After is given although the refresh is pending. */
const fallbackSeconds = 2;

/**
 * Looks when Retry-After says so until collection and billing are both terminal. Rejects with
 * {@link RefreshNotFinishedError} as soon as the next look would come after the deadline.
 */
export async function waitForRefresh(
  plan: WaitPlan,
  { nowMs, chance, pause }: ClientEnvironment,
): Promise<RefreshAnswer> {
  const { refreshId, endsAtMs, signal } = plan;
  let seen = plan.accepted ?? (await look(plan));
  for (;;) {
    plan.onProgress?.(seen.record);
    if (isFinished(seen.record)) return seen;
    const delayMs = afterMs(seen.retryAfterSeconds ?? fallbackSeconds, chance());
    if (nowMs() + delayMs >= endsAtMs) throw new RefreshNotFinishedError(refreshId);
    await pause(delayMs, signal);
    seen = await look(plan);
  }
}

async function look({ read, refreshId, endsAtMs }: WaitPlan): Promise<RefreshAnswer> {
  try {
    return await read(refreshId, endsAtMs);
  } catch (error) {
    // Asked again until the deadline: what failed is only why it is not known to be finished.
    const passing = error instanceof InventoryError && error.retryable;
    throw passing ? new RefreshNotFinishedError(refreshId, { cause: error }) : error;
  }
}

/** Billing is part of completion. */
function isFinished({ state, billing }: RefreshRecord): boolean {
  return state === 'completed' && billing.state === 'finalized';
}
