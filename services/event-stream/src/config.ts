import {
  type ServiceConfig,
  serviceConfig,
  serviceSettings,
} from '@inventory/runtime/service-settings';
import {
  deepFreeze,
  duration,
  flag,
  integer,
  list,
  readSettings,
  secretKey,
  url,
} from '@inventory/runtime/settings';
import { z } from 'zod';
import type { DelivererLimits } from './operations/deliver-due.ts';
import type { HealthLimits } from './webhooks/endpoint-health.domain.ts';
import type { RetryRules } from './webhooks/webhook-delivery.domain.ts';

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

export const settings = {
  ...serviceSettings,
  LOG_EPOCH: integer(1, 1_000_000)
    .prefault('1')
    .describe('Raised by one when this database was restored from a backup'),
  LOG_KEEP_MS: duration()
    .prefault(String(7 * dayMs))
    .describe('Age from which events are pruned; the newest event of a Project is always kept'),
  LOG_PRUNE_EVERY_MS: duration()
    .prefault('3600000')
    .describe('Pause between two runs of log pruning'),
  GATEWAY_URL: url().describe('Private address of the gateway, which owns Projects'),
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
  WEBHOOK_REQUESTS_MAX: integer(1, 10_000)
    .prefault('64')
    .describe('Concurrent webhook requests of one replica'),
  WEBHOOK_REQUESTS_PER_ENDPOINT_MAX: integer(1, 1_000)
    .prefault('4')
    .describe('Concurrent webhook requests to one endpoint'),
  WEBHOOK_CLAIM_MS: duration()
    .prefault('60000')
    .describe(
      'Time after which a claim expires and another replica may claim the delivery; at least a ' +
        'second more than WEBHOOK_TIMEOUT_MS',
    ),
  WEBHOOK_SWEEP_EVERY_MS: duration()
    .prefault('30000')
    .describe('How often the log of each endpoint is polled, in addition to notifications'),
  WEBHOOK_KEEP_MS: duration()
    .prefault(String(30 * dayMs))
    .describe('Age from which deliveries are deleted'),
} as const;

export interface WebhookConfig {
  /** Base64url; the first encrypts. */
  readonly secretKeys: readonly string[];
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly retries: RetryRules;
  readonly health: HealthLimits;
  readonly limits: DelivererLimits;
  readonly sweepEveryMs: number;
  readonly keepMs: number;
  /** Longest wait for responses when the service stops. */
  readonly drainMs: number;
}

const gatewayTimeoutMs = 3_000;
const drainMs = 5_000;
const recordMs = 1_000;
/** Share of a replica's concurrent requests that one account may use, over all replicas. */
const accountShare = 1 / 4;
const slowFromMs = 1_000;
const retryAfterMaxMs = dayMs;

export interface EventStreamConfig extends ServiceConfig {
  readonly log: {
    readonly logEpoch: number;
    readonly keepMs: number;
    readonly pruneEveryMs: number;
  };
  readonly gateway: { readonly url: string; readonly timeoutMs: number };
  readonly webhooks: WebhookConfig;
}

function webhookConfig(parsed: ReturnType<typeof readSettings<typeof settings>>): WebhookConfig {
  return {
    secretKeys: parsed.WEBHOOK_SECRET_KEYS,
    allowPrivate: parsed.WEBHOOK_ALLOW_PRIVATE,
    timeoutMs: parsed.WEBHOOK_TIMEOUT_MS,
    retries: { scheduleMs: parsed.WEBHOOK_RETRY_SCHEDULE_MS, retryAfterMaxMs },
    health: {
      disableAfterMs: parsed.WEBHOOK_DISABLE_AFTER_MS,
      silenceMaxMs: dayMs + hourMs,
      pauseAfterFailures: 5,
      pauseFirstMs: parsed.WEBHOOK_PAUSE_FIRST_MS,
      pauseMaxMs: 5 * minuteMs,
    },
    limits: {
      requestsMax: parsed.WEBHOOK_REQUESTS_MAX,
      requestsPerEndpointMax: parsed.WEBHOOK_REQUESTS_PER_ENDPOINT_MAX,
      requestsPerAccountMax: Math.max(1, Math.floor(parsed.WEBHOOK_REQUESTS_MAX * accountShare)),
      slowFromMs,
      // A claim that expired before its response is recorded would send every event twice.
      claimMs: Math.max(parsed.WEBHOOK_CLAIM_MS, parsed.WEBHOOK_TIMEOUT_MS + recordMs),
    },
    sweepEveryMs: parsed.WEBHOOK_SWEEP_EVERY_MS,
    keepMs: parsed.WEBHOOK_KEEP_MS,
    drainMs,
  };
}

export function loadConfig(environment: Record<string, string | undefined>): EventStreamConfig {
  const parsed = readSettings(settings, environment);
  return deepFreeze({
    ...serviceConfig(parsed),
    log: {
      logEpoch: parsed.LOG_EPOCH,
      keepMs: parsed.LOG_KEEP_MS,
      pruneEveryMs: parsed.LOG_PRUNE_EVERY_MS,
    },
    gateway: { url: parsed.GATEWAY_URL, timeoutMs: gatewayTimeoutMs },
    webhooks: webhookConfig(parsed),
  });
}
