import { requestId } from '@inventory/contracts/ids';
import { z } from 'zod';

/**
 * An Idempotency-Key stands for one paid read: `open` while its first attempt may still be charged
 * or reversed, `paid` from its first delivered byte on.
 */
export const readKey = z.object({
  fingerprint: z.string(),
  /** Request id of the attempt that opened it. */
  requestId,
  state: z.enum(['open', 'paid']),
  /** Replays so far. */
  replays: z.int(),
  /**
   * Past it an open record is stale: its attempt has crashed and its charge is reversed. One that is far
   * ahead is believed: a replica whose clock is behind would release the key of an attempt that runs, and
   * a second one be charged. The reversal of a crashed attempt releases its key, whatever this says.
   */
  openUntilMs: z.number(),
  expiresAtMs: z.number(),
  /** Of an export: what was paid for, which its replays continue. */
  pin: z.string().nullable(),
});
export type ReadKeyRecord = Readonly<z.infer<typeof readKey>>;

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
