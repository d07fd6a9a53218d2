import { SettingsError } from '@inventory/runtime/settings';
import { loadConfig } from './config.ts';

const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const least = {
  KAFKA_BROKERS: '127.0.0.1:9092',
  MONGODB_URI: 'mongodb://127.0.0.1',
  MONGODB_DATABASE: 'event_stream',
  HTTP_PORT: '8085',
  GATEWAY_URL: 'http://127.0.0.1:8081',
  WEBHOOK_SECRET_KEYS: key,
};
const hourMs = 3_600_000;

function problemsOf(changes: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig({ ...least, ...changes });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

test('by default webhooks follow the published schedule and are sent to public addresses only (Events: webhooks)', () => {
  const { webhooks } = loadConfig(least);

  expect(webhooks).toMatchObject({ allowPrivate: false, timeoutMs: 15_000, keepMs: 720 * hourMs });
  expect(webhooks.retries.scheduleMs).toEqual([
    5_000,
    hourMs / 12,
    hourMs / 2,
    2 * hourMs,
    5 * hourMs,
    10 * hourMs,
    14 * hourMs,
  ]);
  expect(webhooks.health.disableAfterMs).toBe(120 * hourMs);
});

test('no pause between two attempts, jitter included, ends a run of failures', () => {
  const { retries, health } = loadConfig(least).webhooks;

  expect(health.silenceMaxMs).toBeGreaterThan(Math.max(...retries.scheduleMs) * 1.2);
  expect(health.silenceMaxMs).toBeGreaterThan(retries.retryAfterMaxMs);
});

test('a claim outlives the longest request at every setting', () => {
  const changes = { WEBHOOK_CLAIM_MS: '10', WEBHOOK_TIMEOUT_MS: '20000' };

  expect(loadConfig({ ...least, ...changes }).webhooks.limits.claimMs).toBe(21_000);
});

test.each([
  [{ WEBHOOK_SECRET_KEYS: undefined }, 'WEBHOOK_SECRET_KEYS'],
  [{ WEBHOOK_SECRET_KEYS: 'c2hvcnQ' }, 'WEBHOOK_SECRET_KEYS'],
  [{ WEBHOOK_SECRET_KEYS: `${key},${key}=` }, 'WEBHOOK_SECRET_KEYS'],
  [{ GATEWAY_URL: undefined }, 'GATEWAY_URL'],
  [{ WEBHOOK_RETRY_SCHEDULE_MS: '5000,soon' }, 'WEBHOOK_RETRY_SCHEDULE_MS'],
  [{ WEBHOOK_ALLOW_PRIVATE: 'yes' }, 'WEBHOOK_ALLOW_PRIVATE'],
])('%o is refused by name, and no value is repeated', (changes, name) => {
  const problems = problemsOf(changes);

  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(name);
  expect(problems[0]).not.toContain(key);
});
