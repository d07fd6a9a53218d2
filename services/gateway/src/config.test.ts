import { SettingsError } from '@inventory/runtime/settings';
import { loadConfig } from './config.ts';

const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const environment = {
  KAFKA_BROKERS: '127.0.0.1:9092',
  MONGODB_URI: 'mongodb://127.0.0.1:27017',
  MONGODB_DATABASE: 'gateway',
  HTTP_PORT: '7000',
  PUBLIC_HTTP_PORT: '8080',
  OPERATOR_HTTP_PORT: '8082',
  OPERATOR_TOKEN: 'at-least-sixteen-characters',
  REFRESH_COLLECTOR_URL: 'http://127.0.0.1:7001',
  BILLING_LEDGER_URL: 'http://127.0.0.1:7002',
  REVISION_STORE_URL: 'http://127.0.0.1:7003',
  EVENT_STREAM_URL: 'http://event-stream:8080',
  CURSOR_KEYS: key,
};

function problemsOf(overrides: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig({ ...environment, ...overrides });
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).problems;
  }
}

test('few settings are required, and the others have defaults', () => {
  const config = loadConfig(environment);

  expect(config).toMatchObject({
    publicHttp: { host: '127.0.0.1', port: 8080 },
    cursorKeys: [key],
    trustedProxies: [],
    decisionTimeoutMs: 10_000,
    pageReads: { deliverWithinMs: 30_000, reverseAfterMs: 30_000 },
    // These are promised (idempotency_in_progress; Status: wait).
    deadlines: { undecidedReadMs: 2_000, undecidedRefreshMs: 2_000, waitSecondMs: 1_000 },
  });
  expect(Object.isFrozen(config.pageReads)).toBe(true);
});

test('every problem is named at once, and no value is repeated', () => {
  const problems = problemsOf({
    PUBLIC_HTTP_PORT: undefined,
    OPERATOR_TOKEN: 'short secret',
    CURSOR_KEYS: `${key},c2hvcnQ`,
    CAPTURE_APPS_EXCLUDED: '730,0440',
    TRUSTED_PROXIES: '10.0.0.0/8,everywhere',
    DECISION_TIMEOUT_MS: 'soon',
    REVISION_STORE_URL: 'ftp://store',
  });

  expect(problems.map((problem) => problem.split(/[ :.]/, 1)[0]).sort()).toEqual([
    'CAPTURE_APPS_EXCLUDED',
    'CURSOR_KEYS',
    'DECISION_TIMEOUT_MS',
    'OPERATOR_TOKEN',
    'PUBLIC_HTTP_PORT',
    'REVISION_STORE_URL',
    'TRUSTED_PROXIES',
  ]);
  expect(problems.join()).not.toMatch(/short secret|c2hvcnQ|everywhere|ftp/);
});

test('streams leave an eighth of the connections to requests (Architecture: everything is bounded)', () => {
  const limits = (STREAMS_MAX: string, CONNECTIONS_MAX?: string) =>
    problemsOf({ STREAMS_MAX, CONNECTIONS_MAX });
  const problem = 'STREAMS_MAX: must leave an eighth of CONNECTIONS_MAX to other requests';

  expect([limits('14000'), limits('14001')]).toEqual([[], [problem]]);
  expect([limits('700', '800'), limits('800', '800')]).toEqual([[], [problem]]);
});

test.each([
  ['shorter than 32 bytes', Buffer.alloc(31).toString('base64url')],
  ['longer than 32 bytes', Buffer.alloc(33).toString('base64url')],
  ['in plain base64', Buffer.alloc(32, 0xff).toString('base64')],
  ['absent', undefined],
])('a cursor key that is %s keeps the service from starting', (_case, given) => {
  expect(problemsOf({ CURSOR_KEYS: given })).toHaveLength(1);
});

test('operators are named, and the one token of earlier releases is the administrator default', () => {
  const tokenDigest = 'a'.repeat(64);
  const named = { name: 'alice', roles: ['read', 'billing'], tokenDigest };
  const given = { OPERATORS: `alice:billing+read:${tokenDigest}` };
  const ofToken = { name: 'default', roles: ['admin'], tokenDigest: expect.any(String) };

  const both = loadConfig({ ...environment, ...given });
  const alone = loadConfig({ ...environment, ...given, OPERATOR_TOKEN: '' });

  expect(both.operatorApi.operators).toEqual([named, ofToken]);
  expect(alone.operatorApi.operators).toEqual([named]);
  expect(problemsOf({ OPERATOR_TOKEN: '' })).toEqual(['OPERATORS is required, or OPERATOR_TOKEN']);
});

test('an operator that is not readable is named by its index, and its token by nothing', () => {
  const problems = problemsOf({ OPERATORS: 'alice:admin:not-a-digest-but-a-token' });

  expect(problems).toEqual([
    'OPERATORS.0: must be <name>:<role>+<role>:<SHA-256 of the token in hex>',
  ]);
});
