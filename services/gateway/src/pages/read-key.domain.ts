import type { RequestId } from '@inventory/contracts/ids';

/**
 * What an Idempotency-Key stands for: one paid read. `open` while its first attempt may still be
 * charged or reversed, `paid` from its first delivered byte on.
 */
export interface ReadKeyRecord {
  readonly fingerprint: string;
  /** The attempt that opened it. */
  readonly requestId: RequestId;
  readonly state: 'open' | 'paid';
  /** Free reads so far. */
  readonly replays: number;
  /** Past it an open record is nobody's: its attempt has crashed and is reversed. */
  readonly openUntilMs: number;
  readonly expiresAtMs: number;
}

export type KeyVerdict =
  /** Nothing stands in the way: the record is to be taken out and made anew. */
  | 'void'
  | 'conflict'
  /** The first attempt is undecided: ask again. */
  | 'wait'
  | 'replay'
  | 'exhausted';

/** Free reads of one paid page: enough for broken downloads, too few to read for nothing. */
export const replaysMax = 3;

/** What a request with the same key may do. Other inputs are a conflict in every state. */
export function judgeKey(record: ReadKeyRecord, fingerprint: string, nowMs: number): KeyVerdict {
  const isAbandoned = record.state === 'open' && record.openUntilMs <= nowMs;
  if (record.expiresAtMs <= nowMs || isAbandoned) return 'void';
  if (record.fingerprint !== fingerprint) return 'conflict';
  if (record.state === 'open') return 'wait';
  return record.replays < replaysMax ? 'replay' : 'exhausted';
}
