import type { RefreshAnswer, RefreshRecord } from '@inventory/client/records';
import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';

/** A state that Status showed for the first time. */
export interface StateChange {
  readonly record: RefreshRecord;
  readonly atMs: number;
  readonly retryAfterSeconds: number | null;
}

/** How a client fares that reads only when Retry-After tells it to. */
export interface PatientClient {
  readonly reads: number;
  /** When it knows that the refresh is terminal, counted from the request. */
  readonly knowsAfterMs: number;
}

export interface FollowOptions {
  readonly accepted: RefreshAnswer;
  readonly read: (refreshId: string) => Promise<RefreshAnswer>;
  readonly onChange: (change: StateChange) => void;
  /** Given up after this; the refresh goes on. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

export interface FollowedRefresh {
  readonly record: RefreshRecord;
  readonly patientClient: PatientClient;
}

const lookEveryMs = 200;
/** Of the time passed so far: a long refresh is not looked at more than a few dozen times. */
const lookShare = 0.05;

/**
 * Reads Status until the refresh is terminal; null when it takes longer than patience allows. It
 * looks more often than Retry-After asks for, so that no state is missed on the screen, and works
 * out what a client that looks only then would have seen.
 */
export async function followRefresh(options: FollowOptions): Promise<FollowedRefresh | null> {
  const begunMs = monotonicNow();
  const { refresh_id: refreshId } = options.accepted.record;
  let seen = options.accepted;
  let shown: string | null = null;
  let patientReads = 0;
  let patientNextMs = secondsToMs(seen.retryAfterSeconds);
  for (;;) {
    const atMs = monotonicNow() - begunMs;
    const { record, retryAfterSeconds } = seen;
    if (record.state !== shown) options.onChange({ record, atMs, retryAfterSeconds });
    shown = record.state;
    if (record.state === 'completed') {
      const knowsAfterMs = Math.max(patientNextMs, atMs);
      return { record, patientClient: { reads: patientReads + 1, knowsAfterMs } };
    }
    if (atMs >= patientNextMs) {
      patientReads += 1;
      patientNextMs = atMs + secondsToMs(retryAfterSeconds);
    }
    if (atMs > options.patienceMs || options.signal.aborted) return null;
    await pause(Math.max(lookEveryMs, atMs * lookShare), options.signal);
    seen = await options.read(refreshId);
  }
}

function secondsToMs(seconds: number | null): number {
  return (seconds ?? 1) * 1_000;
}
