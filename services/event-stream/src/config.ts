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
  url,
} from '@inventory/runtime/settings';
import { z } from 'zod';
import type { HealthLimits } from './domain/endpoint-health.ts';
import type { RetryRules } from './domain/webhook-delivery.ts';
import type { DelivererLimits } from './operations/deliver-due.ts';
import { sealKeyBytes } from './storage/sealed-secret.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const secretKey = z.string().refine((key) => {
  const bytes = Buffer.from(key, 'base64url');
  return bytes.length === sealKeyBytes && bytes.toString('base64url') === key;
}, `must be ${sealKeyBytes} bytes in base64url`);

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
    .describe('Age from which events leave the logs; the newest of a Project always stays'),
  LOG_PRUNE_EVERY_MS: duration()
    .prefault('3600000')
    .describe('Pause between two looks for old events'),
  GATEWAY_URL: url().describe('Private address of the gateway, which owns Projects'),
  WEBHOOK_SECRET_KEYS: list()
    .pipe(z.array(secretKey))
    .describe(
      'Keys that the secrets of webhook endpoints are kept sealed with, comma-separated, 32 bytes ' +
        'each in base64url: the first seals, all open',
    ),
  WEBHOOK_ALLOW_PRIVATE: flag()
    .default(false)
    .describe('Whether webhooks may go to private addresses and over plain http'),
  WEBHOOK_TIMEOUT_MS: duration()
    .prefault('15000')
    .describe('Longest wait for the answer of a webhook endpoint'),
  WEBHOOK_RETRY_SCHEDULE_MS: list()
    .pipe(z.array(duration()).max(20))
    .prefault(retryScheduleMs.join(','))
    .describe('Pauses before each further attempt of a delivery, comma-separated'),
  WEBHOOK_DISABLE_AFTER_MS: duration()
    .prefault(String(5 * dayMs))
    .describe('Time of nothing but failures after which an endpoint is disabled'),
  WEBHOOK_PAUSE_FIRST_MS: duration()
    .prefault('10000')
    .describe('How long an endpoint is left alone after five failures in a row; doubles'),
  WEBHOOK_REQUESTS_MAX: integer(1, 10_000)
    .prefault('64')
    .describe('Webhook requests that one replica has under way'),
  WEBHOOK_REQUESTS_PER_ENDPOINT_MAX: integer(1, 1_000)
    .prefault('4')
    .describe('The same to one endpoint'),
  WEBHOOK_CLAIM_MS: duration()
    .prefault('60000')
    .describe(
      'Time after which another replica takes on a delivery that nobody reported on; a second ' +
        'more than WEBHOOK_TIMEOUT_MS at least',
    ),
  WEBHOOK_SWEEP_EVERY_MS: duration()
    .prefault('30000')
    .describe('How often the log is looked at for each endpoint, whether or not it was told to'),
  WEBHOOK_KEEP_MS: duration()
    .prefault(String(30 * dayMs))
    .describe('Age from which deliveries are forgotten'),
} as const;

export interface WebhookConfig {
  /** Base64url; the first seals. */
  readonly secretKeys: readonly string[];
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly retries: RetryRules;
  readonly health: HealthLimits;
  readonly limits: DelivererLimits;
  readonly sweepEveryMs: number;
  readonly keepMs: number;
  /** Longest wait for answers when the service stops. */
  readonly drainMs: number;
}

const gatewayTimeoutMs = 3_000;
const drainMs = 5_000;
const recordMs = 1_000;
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
      // A claim that ended before its answer could be recorded would send everything twice.
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
