import { newRequestId } from '@inventory/testkit/builders';
import { judgeKey, type ReadKeyRecord, replaysMax } from './read-key.domain.ts';

const nowMs = 1_000_000;
const record = (fields: Partial<ReadKeyRecord> = {}): ReadKeyRecord => ({
  fingerprint: 'same',
  requestId: newRequestId(),
  state: 'paid',
  replays: 0,
  openUntilMs: nowMs + 1,
  expiresAtMs: nowMs + 1,
  pin: null,
  ...fields,
});

test.each<[string, Partial<ReadKeyRecord>, string, string]>([
  ['a paid read is read again free', {}, 'same', 'replay'],
  ['up to the last free read', { replays: replaysMax - 1 }, 'same', 'replay'],
  ['and then no more', { replays: replaysMax }, 'same', 'exhausted'],
  ['other inputs are a conflict', {}, 'other', 'conflict'],
  ['also while the first is undecided', { state: 'open' }, 'other', 'conflict'],
  ['an undecided first is waited for', { state: 'open' }, 'same', 'wait'],
  ['an open key of a crashed attempt', { state: 'open', openUntilMs: nowMs }, 'other', 'void'],
  ['a paid one does not die', { openUntilMs: nowMs }, 'same', 'replay'],
  ['past its time a key is as new', { expiresAtMs: nowMs }, 'other', 'void'],
])(
  '%s (Reads: Idempotency-Key) [idempotency-key, idempotency-key-of-page-reads]',
  (_what, fields, fingerprint, expected) => {
    expect(judgeKey(record(fields), fingerprint, nowMs)).toBe(expected);
  },
);
