import { acceptedRefresh } from '../../test/refresh-builder.ts';
import { loadConfig } from '../config.ts';
import { derivedFields } from './refresh-document.ts';

const times = loadConfig({
  KAFKA_BROKERS: 'localhost:9092',
  MONGODB_URI: 'mongodb://localhost/',
  MONGODB_DATABASE: 'collector',
  HTTP_PORT: '0',
  REVISION_STORE_URL: 'http://localhost:1',
  BILLING_LEDGER_URL: 'http://localhost:1',
  PLATFORM_BASE_URL: 'http://localhost:1',
});
const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 21);
const expiry = (phase: 'completed' | 'refused') =>
  derivedFields(acceptedRefresh({ phase }), nowMs, times).expireAt?.getTime();

test('a terminal refresh and its Idempotency-Key are kept for 30 days, a refused attempt for one (Refresh: key) [keys-are-kept-30-days]', () => {
  expect(expiry('completed')).toBe(nowMs + 30 * dayMs);
  expect(expiry('refused')).toBe(nowMs + dayMs);
});

test.each(['accepted', 'queued', 'collecting', 'assembling', 'settling'] as const)(
  'a refresh that is %s never expires (Refresh: key)',
  (phase) => {
    expect(derivedFields(acceptedRefresh({ phase }), nowMs, times)).not.toHaveProperty('expireAt');
  },
);
