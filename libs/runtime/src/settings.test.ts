import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { serviceConfig, serviceSettings } from './service-settings.ts';
import {
  count,
  deepFreeze,
  duration,
  flag,
  list,
  port,
  readSettings,
  SettingsError,
  text,
  url,
} from './settings.ts';

const shape = {
  NAMES: list(),
  PORT: port(),
  WAIT_MS: duration().prefault('250'),
  LIMIT: count().optional(),
  ON: flag().prefault('false'),
  TITLE: text(),
  PLACE: url(),
};
const complete = { NAMES: 'a', PORT: '80', TITLE: 't', PLACE: 'https://example.com/' };

function problemsOf(environment: Record<string, string | undefined>): readonly string[] {
  try {
    readSettings(shape, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

test('settings are parsed into their types, absent ones into their defaults', () => {
  const settings = readSettings(shape, {
    ...complete,
    NAMES: ' one:1, two:2 ,,',
    ON: 'true',
    LIMIT: '0',
    UNKNOWN: 'ignored',
  });

  expect(settings).toEqual({
    NAMES: ['one:1', 'two:2'],
    PORT: 80,
    WAIT_MS: 250,
    LIMIT: 0,
    ON: true,
    TITLE: 't',
    PLACE: 'https://example.com/',
  });
});

test('all problems of a configuration are reported at once, each with its setting', () => {
  const problems = problemsOf({
    NAMES: ' , ',
    PORT: '65536',
    WAIT_MS: '1.5',
    LIMIT: '-1',
    ON: 'yes',
    PLACE: 'ftp://example.com',
  });

  expect(problems.map((problem) => problem.split(/[: ]/, 1)[0]).toSorted()).toEqual([
    'LIMIT',
    'NAMES',
    'ON',
    'PLACE',
    'PORT',
    'TITLE',
    'WAIT_MS',
  ]);
  expect(problems).toContain('TITLE is required');
});

test('an empty value counts as absent: a default applies, a required setting is missing', () => {
  expect(readSettings(shape, { ...complete, WAIT_MS: '', LIMIT: '' })).toMatchObject({
    WAIT_MS: 250,
  });
  expect(problemsOf({ ...complete, TITLE: '' })).toEqual(['TITLE is required']);
});

test('a problem never repeats a value, because it may be a secret', () => {
  const secret = fc.stringMatching(/^[G-Z]{12,40}$/);
  fc.assert(
    fc.property(secret, (value) => {
      const environment = Object.fromEntries(Object.keys(shape).map((name) => [name, value]));
      expect(problemsOf(environment).join()).not.toContain(value);
      expect(problemsOf(environment)).not.toHaveLength(0);
    }),
    { numRuns: propertyRuns(200) },
  );
});

test.each(['1e3', '0x10', ' 5', '5 ', '+5', '٥', '9'.repeat(400), '-1', '65536'])(
  'a port that is no whole number within its bounds is refused (%j)',
  (value) => {
    expect(problemsOf({ ...complete, PORT: value })).toHaveLength(1);
  },
);

test('a configuration is frozen, at any depth', () => {
  const config = deepFreeze({ kafka: { brokers: ['a'] }, when: { deep: { deeper: {} } } });

  expect(() => config.kafka.brokers.push('b')).toThrow(TypeError);
  expect(() => Object.assign(config.when.deep.deeper, { x: 1 })).toThrow(TypeError);
});

describe('the settings of every service', () => {
  const given = {
    KAFKA_BROKERS: 'one:9092,two:9092',
    MONGODB_URI: 'mongodb://localhost/',
    MONGODB_DATABASE: 'ledger',
    HTTP_PORT: '0',
  };

  test('are nested into a configuration', () => {
    expect(serviceConfig(readSettings(serviceSettings, given))).toEqual({
      environment: 'live',
      kafka: {
        brokers: ['one:9092', 'two:9092'],
        topicPrefix: '',
        timing: { requestTimeoutMs: 10_000, sessionTimeoutMs: 15_000 },
      },
      mongodb: { uri: 'mongodb://localhost/', database: 'ledger' },
      http: { host: '127.0.0.1', port: 0 },
      serviceToken: undefined,
      serviceCallers: [],
      logLevel: 'info',
      stopDeadlineMs: 45_000,
    });
  });

  test('do not accept a token that is short enough to guess', () => {
    expect(() => readSettings(serviceSettings, { ...given, SERVICE_TOKEN: 'short' })).toThrow(
      /SERVICE_TOKEN/,
    );
  });

  test('name the callers of a service, each by the digest of its token, twice while it is replaced', () => {
    const callers = [`gateway:${'a'.repeat(64)}`, `gateway:${'b'.repeat(64)}`];
    const parsed = readSettings(serviceSettings, { ...given, SERVICE_CALLERS: callers.join(',') });
    expect(serviceConfig(parsed).serviceCallers).toEqual([
      { name: 'gateway', tokenDigest: 'a'.repeat(64) },
      { name: 'gateway', tokenDigest: 'b'.repeat(64) },
    ]);
  });

  test.each([
    [
      'SERVICE_TOKEN',
      'a-token-until-today,a-token-from-now-on',
      /SERVICE_TOKEN: must be one token/,
    ],
    [
      'SERVICE_CALLERS',
      'gateway:the-token-itself',
      /SERVICE_CALLERS.0: must be <service>:<SHA-256/,
    ],
  ])('do not accept %s of another form', (name, value, problem) => {
    const read = () => readSettings(serviceSettings, { ...given, [name]: value });
    expect(read).toThrow(problem);
    expect(read).not.toThrow(value);
  });
});
