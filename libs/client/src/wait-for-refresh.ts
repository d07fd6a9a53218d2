import type { ClientEnvironment } from './client-environment.ts';
import { InventoryError, RefreshNotFinishedError } from './errors.ts';
import type { RefreshAnswer, RefreshRecord } from './records.ts';
import { afterMs } from './retry-policy.ts';

export interface WaitPlan {
  readonly refreshId: string;
  /** The acceptance, where known: its Retry-After precedes the first poll. */
  readonly accepted: RefreshAnswer | null;
  /** Reads the status, with this deadline. */
  readonly read: (refreshId: string, endsAtMs: number) => Promise<RefreshAnswer>;
  /** Called with every record, including the accepted and the terminal one. */
  readonly onProgress: ((record: RefreshRecord) => void) | undefined;
  readonly endsAtMs: number;
  readonly signal: AbortSignal | undefined;
}

/** For a pending refresh without Retry-After. */
const fallbackSeconds = 2;

/**
 * Polls by Retry-After until collection and billing are both terminal. Rejects with
 * {@link RefreshNotFinishedError} as soon as the next poll would be after the deadline.
 */
export async function waitForRefresh(
  plan: WaitPlan,
  { nowMs, chance, pause }: ClientEnvironment,
): Promise<RefreshAnswer> {
  const { refreshId, endsAtMs, signal } = plan;
  let latest = plan.accepted ?? (await poll(plan));
  for (;;) {
    plan.onProgress?.(latest.record);
    if (isFinished(latest.record)) return latest;
    const delayMs = afterMs(latest.retryAfterSeconds ?? fallbackSeconds, chance());
    if (nowMs() + delayMs >= endsAtMs) throw new RefreshNotFinishedError(refreshId);
    await pause(delayMs, signal);
    latest = await poll(plan);
  }
}

async function poll({ read, refreshId, endsAtMs }: WaitPlan): Promise<RefreshAnswer> {
  try {
    return await read(refreshId, endsAtMs);
  } catch (error) {
    // Retried until the deadline: the error is the cause of the unfinished wait.
    const isTransient = error instanceof InventoryError && error.retryable;
    throw isTransient ? new RefreshNotFinishedError(refreshId, { cause: error }) : error;
  }
}

/** Billing is part of completion. */
function isFinished({ state, billing }: RefreshRecord): boolean {
  return state === 'completed' && billing.state === 'finalized';
}
