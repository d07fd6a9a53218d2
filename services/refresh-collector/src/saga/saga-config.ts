import { count, duration, integer, type Parsed } from '@inventory/runtime/settings';

export const sagaSettings = {
  QUEUE_DEADLINE_MS: duration().prefault('1800000').describe('Longest time in the queue'),
  COLLECT_DEADLINE_MS: duration().prefault('3600000').describe('Longest time of collecting'),
  SETTLE_GRACE_MS: duration()
    .prefault('600000')
    .describe('Time after these deadlines from which a scan that is not saved yet is abandoned'),
  OUTSTANDING_MAX: count().prefault('10000').describe('Outstanding refreshes that close admission'),
  OUTSTANDING_PER_ACCOUNT_MAX: count()
    .prefault('1000')
    .describe('Most outstanding refreshes of one account'),
  REFRESH_KEEP_MS: integer(0, 400 * 86_400_000)
    .prefault(String(30 * 86_400_000))
    .describe('How long a terminal refresh and its Idempotency-Key are kept'),
  REFUSED_KEEP_MS: duration().prefault('86400000').describe('How long a refused attempt is kept'),
  RESEND_BACKOFF_FIRST_MS: duration()
    .prefault('10000')
    .describe('Wait before a pending command is resent'),
  RESEND_BACKOFF_MAX_MS: duration()
    .prefault('120000')
    .describe('Longest wait before it is resent again'),
  HOLD_SWEEP_MS: duration().prefault('600000').describe('How often old holds are resolved'),
  HOLD_AGE_SECONDS: count().prefault('3600').describe('Age from which a hold is old'),
} as const;

const watchMs = 1_000;

export type SagaConfig = ReturnType<typeof sagaConfig>;

export function sagaConfig(parsed: Parsed<typeof sagaSettings>) {
  return {
    deadlines: {
      queueMs: parsed.QUEUE_DEADLINE_MS,
      collectMs: parsed.COLLECT_DEADLINE_MS,
      /** From then to the deadline of assembly and settlement. */
      settleGraceMs: parsed.SETTLE_GRACE_MS,
    },
    admission: {
      outstandingMax: parsed.OUTSTANDING_MAX,
      outstandingPerAccountMax: parsed.OUTSTANDING_PER_ACCOUNT_MAX,
    },
    /** How long a terminal refresh and a refused attempt are kept. */
    retention: { terminalMs: parsed.REFRESH_KEEP_MS, refusedMs: parsed.REFUSED_KEEP_MS },
    /** Of pending commands. */
    resend: { firstMs: parsed.RESEND_BACKOFF_FIRST_MS, maxMs: parsed.RESEND_BACKOFF_MAX_MS },
    holds: { sweepMs: parsed.HOLD_SWEEP_MS, ageSeconds: parsed.HOLD_AGE_SECONDS },
    /** How often admission and pending commands are read. */
    watchMs,
  };
}
