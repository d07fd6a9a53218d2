import { randomBytes } from 'node:crypto';
import type { TestNamespace } from '@inventory/testkit/namespace';
import { testServiceConfig } from '@inventory/testkit/test-service';
import { type EventStreamConfig, loadConfig } from '../../src/config.ts';
import type { WebhookConfig } from '../../src/webhooks/webhook-config.ts';

export const testDatabase = 'event_stream';

export interface TestSettings {
  readonly log?: Partial<EventStreamConfig['log']>;
  readonly webhooks?: Partial<WebhookConfig>;
  readonly gatewayUrl?: string;
  /** Without it the clock that a test starts a service with is used as it is. */
  readonly clockOffsetMaxMs?: number;
}

/** No machine is so slow that a response or its record takes this long. */
const farMs = 600_000;

/** The service's own defaults inside a namespace, far timeouts, and what a test changes of them. */
export function testConfig(
  namespace: TestNamespace,
  {
    log,
    webhooks,
    gatewayUrl = 'http://127.0.0.1:9',
    clockOffsetMaxMs = Number.MAX_SAFE_INTEGER,
  }: TestSettings = {},
): EventStreamConfig {
  const base = testServiceConfig(namespace, testDatabase);
  const defaults = loadConfig({
    KAFKA_BROKERS: base.kafka.brokers.join(','),
    MONGODB_URI: base.mongodb.uri,
    MONGODB_DATABASE: base.mongodb.database,
    HTTP_PORT: '0',
    GATEWAY_URL: gatewayUrl,
    WEBHOOK_SECRET_KEYS: randomBytes(32).toString('base64url'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  return {
    ...defaults,
    ...base,
    clockOffsetMaxMs,
    gateway: { ...defaults.gateway, timeoutMs: farMs },
    log: { ...defaults.log, ...log },
    webhooks: {
      ...defaults.webhooks,
      sweepEveryMs: 200,
      timeoutMs: farMs,
      limits: { ...defaults.webhooks.limits, claimMs: 2 * farMs },
      ...webhooks,
    },
  };
}
