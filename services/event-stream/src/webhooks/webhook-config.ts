import { duration, flag, integer, list, type Parsed, secretKey } from '@inventory/runtime/settings';
import { z } from 'zod';
import { longestPauseMs } from './webhook-delivery.domain.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const retryScheduleMs = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
];

export const webhookSettings = {
  WEBHOOK_SECRET_KEYS: list()
    .pipe(z.array(secretKey()))
    .describe(
      'Keys that encrypt the secrets of webhook endpoints at rest, comma-separated, 32 bytes each ' +
        'in base64url: the first encrypts, all decrypt',
    ),
  WEBHOOK_ALLOW_PRIVATE: flag()
    .default(false)
    .describe('Whether webhooks may be sent to private addresses and over plain http'),
  WEBHOOK_TIMEOUT_MS: duration().prefault('15000').describe('Timeout of a webhook request'),
  WEBHOOK_RETRY_SCHEDULE_MS: list()
    .pipe(z.array(duration()).max(20))
    .prefault(retryScheduleMs.join(','))
    .describe('Pauses before each further attempt of a delivery, comma-separated'),
  WEBHOOK_DISABLE_AFTER_MS: duration()
    .prefault(String(5 * dayMs))
    .describe('Duration of consecutive failures after which an endpoint is disabled'),
  WEBHOOK_PAUSE_FIRST_MS: duration()
    .prefault('10000')
    .describe(
      'First pause of an endpoint after five consecutive failures; doubles with each further failure',
    ),
  WEBHOOK_REQUESTS_MAX: integer(4, 10_000)
    .prefault('64')
    .describe('Concurrent webhook requests of one replica'),
  WEBHOOK_REQUESTS_PER_ENDPOINT_MAX: integer(1, 1_000)
    .prefault('4')
    .describe('Concurrent webhook requests to one endpoint'),
  WEBHOOK_CLAIM_MS: duration()
    .prefault('60000')
    .describe(
      'Time after which a claim expires and another replica may serve the endpoint; at least a ' +
        'second more than WEBHOOK_TIMEOUT_MS',
    ),
  WEBHOOK_SWEEP_EVERY_MS: duration()
    .prefault('1000')
    .describe(
      'How often a replica polls for endpoints with something to send, unless it is notified or had none for a minute',
    ),
  WEBHOOK_KEEP_MS: duration()
    .prefault(String(30 * dayMs))
    .describe('Age from which deliveries are deleted'),
} as const;

/** Longest wait for responses when the service stops. */
const drainMs = 5_000;
const recordMs = 1_000;
const slowFromMs = 1_000;
/** Longest time in which a claim begins requests, so that other endpoints are served. */
const runMaxMs = 5_000;
const retryAfterMaxMs = dayMs;

export type WebhookConfig = ReturnType<typeof webhookConfig>;

export function webhookConfig(parsed: Parsed<typeof webhookSettings>) {
  return {
    /** Base64url; the first encrypts. */
    secretKeys: parsed.WEBHOOK_SECRET_KEYS,
    allowPrivate: parsed.WEBHOOK_ALLOW_PRIVATE,
    timeoutMs: parsed.WEBHOOK_TIMEOUT_MS,
    retries: retriesOf(parsed),
    health: {
      disableAfterMs: parsed.WEBHOOK_DISABLE_AFTER_MS,
      silenceMaxMs: dayMs + hourMs,
      pauseAfterFailures: 5,
      pauseFirstMs: parsed.WEBHOOK_PAUSE_FIRST_MS,
      pauseMaxMs: 5 * minuteMs,
    },
    limits: limitsOf(parsed),
    sweepEveryMs: parsed.WEBHOOK_SWEEP_EVERY_MS,
    keepMs: parsed.WEBHOOK_KEEP_MS,
    drainMs,
  };
}

function retriesOf({ WEBHOOK_RETRY_SCHEDULE_MS: scheduleMs }: Parsed<typeof webhookSettings>) {
  return { scheduleMs, retryAfterMaxMs };
}

function limitsOf(parsed: Parsed<typeof webhookSettings>) {
  // The requests of a claim end, and are recorded, before it expires: else each is sent twice.
  const requestMs = parsed.WEBHOOK_TIMEOUT_MS + recordMs;
  const claimMs = Math.max(parsed.WEBHOOK_CLAIM_MS, requestMs);
  return {
    /** Concurrent requests of this replica. */
    requestsMax: parsed.WEBHOOK_REQUESTS_MAX,
    requestsPerEndpointMax: parsed.WEBHOOK_REQUESTS_PER_ENDPOINT_MAX,
    slowFromMs,
    /** Age at which the claim of an endpoint expires. */
    claimMs,
    runMs: Math.min(runMaxMs, claimMs - requestMs),
    waitMaxMs: longestPauseMs(retriesOf(parsed)),
  };
}
