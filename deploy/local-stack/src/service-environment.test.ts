import { type ServiceSurroundings, serviceEnvironment } from './service-environment.ts';

const surroundings: ServiceSurroundings = {
  kafkaBrokers: '127.0.0.1:9192',
  mongodbUri: 'mongodb://127.0.0.1:9217',
  topicPrefix: 'a.',
  databasePrefix: 'a_',
  secrets: {
    serviceTokenKey: 'service key',
    operatorToken: 'operator',
    cursorKeys: 'keys',
    webhookSecretKeys: 'webhook keys',
  },
  simulatorUrl: 'http://127.0.0.1:8090',
  internalUrls: {
    gateway: 'http://127.0.0.1:1',
    'refresh-collector': 'http://127.0.0.1:2',
    'billing-ledger': 'http://127.0.0.1:3',
    'revision-store': 'http://127.0.0.1:4',
    'event-stream': 'http://127.0.0.1:5',
  },
  sandboxCollectorUrl: null,
  given: {},
  overrides: {},
};

const collector = {
  service: 'refresh-collector',
  name: 'refresh-collector-2',
  environment: 'live',
  httpPort: 20_000,
  publicPort: null,
  operatorPort: null,
} as const;
const gateway = {
  service: 'gateway',
  name: 'gateway',
  environment: 'live',
  httpPort: 20_001,
  publicPort: 8080,
  operatorPort: 8081,
} as const;

test('the collector of the sandbox has a database and identities of its own, and the gateway its address', () => {
  const sandbox = {
    ...collector,
    name: 'sandbox-refresh-collector',
    environment: 'sandbox',
  } as const;
  const [live, other] = [collector, sandbox].map((at) => serviceEnvironment(at, surroundings));

  expect(other).toMatchObject({
    ENVIRONMENT: 'sandbox',
    MONGODB_DATABASE: 'a_sandbox_refresh_collector',
    PLATFORM_BASE_URL: live?.['PLATFORM_BASE_URL'],
  });
  const identities = (of: typeof live) => of?.['PLATFORM_EGRESS']?.split(',') ?? [];
  expect(identities(other).filter((one) => identities(live).includes(one))).toEqual([]);
  const sandboxCollectorUrl = 'http://127.0.0.1:6';
  expect(serviceEnvironment(gateway, { ...surroundings, sandboxCollectorUrl })).toMatchObject({
    SANDBOX_REFRESH_COLLECTOR_URL: sandboxCollectorUrl,
  });
  expect(serviceEnvironment(gateway, surroundings)).not.toHaveProperty(
    'SANDBOX_REFRESH_COLLECTOR_URL',
  );
});

test('only the gateway gets the operator token and the cursor keys', () => {
  expect(serviceEnvironment(gateway, surroundings)).toMatchObject({
    OPERATOR_TOKEN: 'operator',
    CURSOR_KEYS: 'keys',
    PUBLIC_HTTP_PORT: '8080',
    OPERATOR_HTTP_PORT: '8081',
  });
  const given = { OPERATOR_TOKEN: 'of the user' };
  const others = serviceEnvironment(collector, { ...surroundings, given });
  expect(others).not.toHaveProperty('OPERATOR_TOKEN');
  expect(others).not.toHaveProperty('CURSOR_KEYS');
  expect(others).not.toHaveProperty('WEBHOOK_SECRET_KEYS');
});

test('the services that hold whole pages have a small young generation and few arenas, unless the user sets another', () => {
  const options = (given: Record<string, string>, at: typeof collector | typeof gateway) =>
    serviceEnvironment(at, { ...surroundings, given })['NODE_OPTIONS'];
  const given = { NODE_OPTIONS: '--max-semi-space-size=64' };

  expect(options({}, collector)).toBe('--max-semi-space-size=16');
  expect(options({}, gateway)).toBeUndefined();
  expect(options(given, collector)).toBe('--max-semi-space-size=64');
  expect(serviceEnvironment(collector, surroundings)).toMatchObject({ MALLOC_ARENA_MAX: '2' });
  expect(serviceEnvironment(gateway, surroundings)).not.toHaveProperty('MALLOC_ARENA_MAX');
});

test("a user's setting wins over the local defaults, but not over the stack's addresses and names", () => {
  const given = {
    IDENTITY_BURST: '3',
    MONGODB_DATABASE: 'mine',
    HTTP_PORT: '1',
    LOG_LEVEL: 'debug',
  };

  expect(serviceEnvironment(collector, { ...surroundings, given })).toMatchObject({
    IDENTITY_BURST: '3',
    LOG_LEVEL: 'debug',
    MONGODB_DATABASE: 'a_refresh_collector',
    HTTP_PORT: '20000',
  });
});

test('with a platform given, the limits of the collector itself apply', () => {
  const environment = serviceEnvironment(collector, {
    ...surroundings,
    simulatorUrl: null,
    overrides: { PLATFORM_BASE_URL: 'https://platform.example' },
  });

  expect(environment['PLATFORM_BASE_URL']).toBe('https://platform.example');
  expect(environment).not.toHaveProperty('IDENTITY_REQUESTS_PER_MINUTE');
  expect(environment).not.toHaveProperty('PLATFORM_EGRESS');
});
