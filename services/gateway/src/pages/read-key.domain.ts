import type { RequestId } from '@inventory/contracts/ids';

/**
 * An Idempotency-Key stands for one paid read: `open` while its first attempt may still be charged
 * or reversed, `paid` from its first delivered byte on.
 */
export interface ReadKeyRecord {
  readonly fingerprint: string;
  /** Request id of the attempt that opened it. */
  readonly requestId: RequestId;
  readonly state: 'open' | 'paid';
  /** Replays so far. */
  readonly replays: number;
  /**
   * Past it an open record is stale: its attempt has crashed and its charge is reversed. One that is far
   * ahead is believed: a replica whose clock is behind would release the key of an attempt that runs, and
   * a second one be charged. The reversal of a crashed attempt releases its key, whatever this says.
   */
  readonly openUntilMs: number;
  readonly expiresAtMs: number;
  /** Of an export: what was paid for, which its replays continue. */
  readonly pin: string | null;
}

export type KeyVerdict =
  /** The record is stale: it is deleted and opened again. */
  | 'void'
  | 'conflict'
  /** The first attempt is undecided: retry. */
  | 'wait'
  | 'replay'
  | 'exhausted';

/** Replays of one paid page: enough for interrupted downloads, too few to save charges. */
export const replaysMax = 3;

/** The result for a request with the same key. Other inputs are a conflict in every state. */
export function judgeKey(record: ReadKeyRecord, fingerprint: string, nowMs: number): KeyVerdict {
  const isAbandoned = record.state === 'open' && record.openUntilMs <= nowMs;
  if (record.expiresAtMs <= nowMs || isAbandoned) return 'void';
  if (record.fingerprint !== fingerprint) return 'conflict';
  if (record.state === 'open') return 'wait';
  return record.replays < replaysMax ? 'replay' : 'exhausted';
}
