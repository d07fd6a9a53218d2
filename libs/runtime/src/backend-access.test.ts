import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CertificateDirectory,
  openCertificateDirectory,
} from '@inventory/testkit/certificates';
import { kafkaAccess, kafkaSettings } from './kafka-access.ts';
import { mongodbAccess, mongodbSettings } from './mongodb-access.ts';
import { serviceSettings } from './service-settings.ts';
import { readSettings, SettingsError } from './settings.ts';

type Environment = Readonly<Record<string, string>>;

let folder: CertificateDirectory;
/** PEM of one authority and of two clients with certificates signed by it. */
let files: Readonly<Record<'ca' | 'cert' | 'key' | 'otherKey' | 'password', string>>;

beforeAll(() => {
  folder = openCertificateDirectory();
  const authority = folder.newAuthority('one');
  const client = authority.issue('client');
  files = {
    ca: authority.certificateFile,
    cert: client.certificateFile,
    key: client.keyFile,
    otherKey: authority.issue('other').keyFile,
    password: fileWith('password', 'hunter2\n'),
  };
});
afterAll(() => folder.remove());

function fileWith(name: string, content: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, content);
  return path;
}

const brokers = { KAFKA_BROKERS: 'a:9093,b:9093' };
const readKafka = (environment: Environment) =>
  kafkaAccess(readSettings(kafkaSettings, { ...brokers, ...environment }));
const readMongodb = (environment: Environment) =>
  mongodbAccess(readSettings(mongodbSettings, { MONGODB_URI: 'mongodb://a/', ...environment }));

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

test('a cluster without TLS and login needs addresses only', () => {
  const timing = { requestTimeoutMs: 10_000, sessionTimeoutMs: 15_000 };
  const plain = { brokers: ['a:9093', 'b:9093'], timing };
  expect(readKafka({})).toEqual(plain);
  expect(readKafka({ KAFKA_TLS: 'false' })).toEqual(plain);
  expect(readMongodb({})).toEqual({ uri: 'mongodb://a/' });
});

test('the content of certificate, key and password files is read with the settings', () => {
  const pem = expect.stringMatching(/^-----BEGIN /);

  const { tls, sasl } = readKafka({
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: files.ca,
    KAFKA_TLS_CERT_FILE: files.cert,
    KAFKA_TLS_KEY_FILE: files.key,
    KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
    KAFKA_SASL_USERNAME: 'inventory',
    KAFKA_SASL_PASSWORD_FILE: files.password,
  });

  expect(tls).toEqual({ authorities: pem, certificate: pem, privateKey: pem });
  expect(sasl).toEqual({
    mechanism: 'SCRAM-SHA-512',
    username: 'inventory',
    password: 'hunter2',
  });
  expect(
    readMongodb({
      MONGODB_TLS: 'true',
      MONGODB_TLS_CA_FILE: files.ca,
      MONGODB_TLS_CERT_FILE: files.cert,
      MONGODB_TLS_KEY_FILE: files.key,
    }).tls,
  ).toEqual(tls);
  expect(readKafka({ KAFKA_TLS: 'true' }).tls).toEqual({});
});

test.each<[string, Environment, string[]]>([
  [
    'a CA file would be ignored',
    { KAFKA_TLS_CA_FILE: 'ca' },
    ['KAFKA_TLS_CA_FILE: requires KAFKA_TLS'],
  ],
  [
    'TLS is off in spite of a CA file',
    { KAFKA_TLS: 'false', KAFKA_TLS_CA_FILE: 'ca' },
    ['KAFKA_TLS_CA_FILE: requires KAFKA_TLS'],
  ],
  [
    'a certificate has no key',
    { KAFKA_TLS: 'true', KAFKA_TLS_CERT_FILE: 'cert' },
    ['KAFKA_TLS_CERT_FILE: requires KAFKA_TLS_KEY_FILE'],
  ],
  [
    'a key has no certificate',
    { KAFKA_TLS: 'true', KAFKA_TLS_KEY_FILE: 'key' },
    ['KAFKA_TLS_KEY_FILE: requires KAFKA_TLS_CERT_FILE'],
  ],
  [
    'no user is named to log in',
    { KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256' },
    [
      'KAFKA_SASL_MECHANISM: requires KAFKA_SASL_USERNAME',
      'KAFKA_SASL_MECHANISM: requires KAFKA_SASL_PASSWORD_FILE',
    ],
  ],
  [
    'a user and a password would be ignored',
    { KAFKA_SASL_USERNAME: 'inventory', KAFKA_SASL_PASSWORD_FILE: 'password' },
    [
      'KAFKA_SASL_USERNAME: requires KAFKA_SASL_MECHANISM',
      'KAFKA_SASL_PASSWORD_FILE: requires KAFKA_SASL_MECHANISM',
    ],
  ],
  [
    'the password would be sent in the open',
    {
      KAFKA_SASL_MECHANISM: 'PLAIN',
      KAFKA_SASL_USERNAME: 'inventory',
      KAFKA_SASL_PASSWORD_FILE: 'password',
    },
    ['KAFKA_SASL_MECHANISM: requires KAFKA_TLS'],
  ],
])('settings of Kafka that do not hold together are refused: %s', (_why, environment, problems) => {
  const given = Object.entries(environment).map(([name, value]) => [
    name,
    files[value as keyof typeof files] ?? value,
  ]);

  expect(problemsOf(() => readKafka(Object.fromEntries(given)))).toEqual(problems);
});

test('all unusable files are reported at once, by their settings and never by their paths', () => {
  const empty = fileWith('empty', '\n');
  const problems = problemsOf(() =>
    readKafka({
      KAFKA_TLS: 'true',
      KAFKA_TLS_CA_FILE: join(folder.path, 'absent'),
      KAFKA_TLS_CERT_FILE: files.key,
      KAFKA_TLS_KEY_FILE: files.cert,
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256',
      KAFKA_SASL_USERNAME: 'inventory',
      KAFKA_SASL_PASSWORD_FILE: empty,
    }),
  );

  expect(problems).toEqual([
    'KAFKA_TLS_CA_FILE: the file cannot be read (ENOENT)',
    'KAFKA_TLS_CERT_FILE: the file has no readable PEM certificates',
    'KAFKA_TLS_KEY_FILE: the file has no PEM private key without a passphrase',
    'KAFKA_SASL_PASSWORD_FILE: the file does not have a secret as its only line',
  ]);
  expect(problems.join()).not.toContain(folder.path);
});

test.each([
  ['a folder', () => folder.path, 'the file cannot be read (EISDIR)'],
  ['too large', () => fileWith('large', 'x'.repeat(2 ** 20 + 1)), 'the file is larger than'],
  [
    'two lines',
    () => fileWith('lines', 'a\nb'),
    'the file does not have a secret as its only line',
  ],
])('a password file that is %s is refused', (_why, path, problem) => {
  const environment = { KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256', KAFKA_SASL_USERNAME: 'a' };

  const problems = problemsOf(() =>
    readKafka({ ...environment, KAFKA_SASL_PASSWORD_FILE: path() }),
  );

  expect(problems).toEqual([expect.stringContaining(`KAFKA_SASL_PASSWORD_FILE: ${problem}`)]);
});

test.each(['KAFKA_TLS', 'MONGODB_TLS'])("%s: another certificate's key is refused", (prefix) => {
  const environment = {
    [prefix]: 'true',
    [`${prefix}_CERT_FILE`]: files.cert,
    [`${prefix}_KEY_FILE`]: files.otherKey,
  };
  const read = prefix === 'KAFKA_TLS' ? readKafka : readMongodb;

  expect(problemsOf(() => read(environment))).toEqual([
    `${prefix}_KEY_FILE: is not the key of ${prefix}_CERT_FILE`,
  ]);
});

test.each([
  'mongodb://a/?tls=true&tlsInsecure=true',
  'mongodb://a/?tlsAllowInvalidCertificates=true',
  'mongodb://a/?TLSALLOWINVALIDHOSTNAMES=true',
])('a connection string that disables the verification of the server is refused (%s)', (uri) => {
  expect(problemsOf(() => readMongodb({ MONGODB_URI: uri }))).toEqual([
    'MONGODB_URI: must not disable the verification of the server',
  ]);
});

test.each([
  ['mongodb://a/?readPreference=secondaryPreferred', ['MONGODB_URI: must read from the primary']],
  ['mongodb://a/?w=majority&readpreference=nearest', ['MONGODB_URI: must read from the primary']],
  ['mongodb://a/?readPreference=primary&maxPoolSize=5', []],
])('a connection string reads from the primary alone (%s)', (uri, problems) => {
  expect(problemsOf(() => readMongodb({ MONGODB_URI: uri }))).toEqual(problems);
});

test.each([
  ['0.0.0.0', true],
  ['::', true],
  ['10.1.2.3', true],
  ['127.0.0.1', false],
  ['::1', false],
  ['localhost', false],
])('internal HTTP on %s needs a service token: %s', (host, isNeeded) => {
  const environment = {
    ...brokers,
    MONGODB_URI: 'mongodb://a/',
    MONGODB_DATABASE: 'a',
    HTTP_PORT: '0',
    HTTP_HOST: host,
  };
  const callers = { SERVICE_CALLERS: `gateway:${'a'.repeat(64)}` };

  expect(problemsOf(() => readSettings(serviceSettings, environment))).toEqual(
    isNeeded ? ['HTTP_HOST: requires SERVICE_CALLERS'] : [],
  );
  expect(problemsOf(() => readSettings(serviceSettings, { ...environment, ...callers }))).toEqual(
    [],
  );
});
