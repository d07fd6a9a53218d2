import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { connectMongo } from '@inventory/mongo/connect';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { kafkaAccess, kafkaSettings } from '@inventory/runtime/kafka-access';
import { mongodbAccess, mongodbSettings } from '@inventory/runtime/mongodb-access';
import { readSettings } from '@inventory/runtime/settings';
import { newAccountId } from '@inventory/testkit/builders';
import {
  type CertificateDirectory,
  openCertificateDirectory,
  type TestAuthority,
} from '@inventory/testkit/certificates';
import { recordMessages } from '@inventory/testkit/message-recorder';
import { openNamespace, type TestNamespace, testLogger } from '@inventory/testkit/namespace';
import { startTestService } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { loadConfig } from '../../services/billing-ledger/src/config.ts';
import { startBillingLedger } from '../../services/billing-ledger/src/start-billing-ledger.ts';
import { senderOf } from '../../services/billing-ledger/test/support/billing-commands.ts';
import { type SecuredKafka, startSecuredKafka } from './support/secured-kafka.ts';
import { startTlsTerminator, type TlsTerminator } from './support/tls-terminator.ts';

type Environment = Readonly<Record<string, string>>;

let folder: CertificateDirectory;
let authority: TestAuthority;
let kafka: SecuredKafka;
let terminator: TlsTerminator;
let namespace: TestNamespace;
/** Of the billing-ledger; it may connect everywhere. */
let environment: Environment;

beforeAll(async () => {
  folder = openCertificateDirectory();
  authority = folder.newAuthority('authority');
  namespace = await openNamespace({ topics: false });
  const { hostname, port } = new URL(namespace.mongodbUri);
  [kafka, terminator] = await Promise.all([
    startSecuredKafka({ folder, authority }),
    startTlsTerminator({ host: hostname, port: Number(port) }, authority),
  ]);
  const { certificateFile, keyFile } = authority.issue('client');
  environment = {
    ...kafka.login('inventory-billing-ledger'),
    MONGODB_URI: `mongodb://localhost:${terminator.port}/?directConnection=true`,
    MONGODB_DATABASE: namespace.database('ledger'),
    MONGODB_TLS: 'true',
    MONGODB_TLS_CA_FILE: authority.certificateFile,
    MONGODB_TLS_CERT_FILE: certificateFile,
    MONGODB_TLS_KEY_FILE: keyFile,
    HTTP_PORT: '0',
  };
  await kafka.prepare();
});

afterAll(async () => {
  await kafka?.stop();
  terminator?.close();
  folder.remove();
});

function passwordFile(name: string, content: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, `${content}\n`);
  return path;
}

function openBus(changes: Environment) {
  const access = kafkaAccess(readSettings(kafkaSettings, { ...environment, ...changes }));
  return createKafkaBus({
    ...access,
    topicPrefix: '',
    service: 'test',
    logger: testLogger,
    identifiers: systemIdentifiers,
  });
}

async function openMongo(changes: Environment) {
  const access = mongodbAccess(readSettings(mongodbSettings, { ...environment, ...changes }));
  const database = namespace.database('tls');
  return connectMongo({ ...access, database, service: 'test', logger: testLogger });
}

function failureOf(opened: Promise<unknown>): Promise<string> {
  return opened.then(
    () => 'it was let in',
    (error: unknown) => String(error),
  );
}

test('a service works over TLS with a login at Kafka and a certificate at MongoDB', async () => {
  const ledger = await startTestService({
    config: loadConfig(environment),
    start: startBillingLedger,
  });
  const bus = await openBus({
    ...kafka.login('inventory-admin'),
    KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256',
  });
  const recorder = await recordMessages(bus, ['billing.outcomes.v1']);
  const { accountId, grant } = senderOf(newAccountId());

  await bus.publish([grant(1_000)]);

  const [outcome] = await waitFor('the grant has an outcome', () => {
    const outcomes = recorder.of('billing.outcome.v1');
    return outcomes.length > 0 && outcomes;
  });
  const readiness = await fetch(`${ledger.url}/readyz`);
  await bus.close();
  await ledger.stop();
  expect(outcome).toMatchObject({ accountId, result: 'applied' });
  expect(readiness.status).toBe(200);
});

test.each<[string, () => Environment]>([
  [
    'the password itself over TLS',
    () => ({ ...kafka.login('inventory-gateway'), KAFKA_SASL_MECHANISM: 'PLAIN' }),
  ],
  ['a certificate', () => ({ ...toCertificateBroker(), ...ownCertificate(authority) })],
])('Kafka takes %s', async (_what, changes) => {
  const bus = await openBus(changes());

  await bus.publish([senderOf(newAccountId()).grant(1)]);

  expect(bus.health().problems).toEqual([]);
  await bus.close();
});

test.concurrent.each<[string, () => Environment, RegExp]>([
  [
    'a wrong password',
    () => ({ KAFKA_SASL_PASSWORD_FILE: passwordFile('wrong', 'incorrect-donkey') }),
    /authentication failed/i,
  ],
  [
    'a broker that another authority signed for',
    () => ({ KAFKA_TLS_CA_FILE: newAuthority().certificateFile }),
    /certificate/i,
  ],
  ['a client without a certificate', toCertificateBroker, /certificate/i],
  [
    'a client whose certificate another authority signed',
    () => ({ ...toCertificateBroker(), ...ownCertificate(newAuthority()) }),
    /certificate/i,
  ],
])('Kafka: %s is refused, and why is said without a secret', async (_what, changes, reason) => {
  const failure = await failureOf(openBus(changes()));

  expect(failure).toMatch(reason);
  for (const secret of ['incorrect-donkey', ...Object.values(kafka.passwords)]) {
    expect(failure).not.toContain(secret);
  }
});

test.concurrent.each<[string, () => Environment, RegExp]>([
  [
    'a server that another authority signed for',
    () => ({ MONGODB_TLS_CA_FILE: newAuthority().certificateFile }),
    /certificate/i,
  ],
  [
    'a client without a certificate',
    () => ({ MONGODB_TLS_CERT_FILE: '', MONGODB_TLS_KEY_FILE: '' }),
    /certificate/i,
  ],
])('MongoDB: %s is refused, and why is said', async (_what, changes, reason) => {
  expect(await failureOf(openMongo(changes()))).toMatch(reason);
});

/** One that no server and no client of the others trusts. */
function newAuthority(): TestAuthority {
  return folder.newAuthority(systemIdentifiers.uuidV7());
}

function toCertificateBroker(): Environment {
  return {
    KAFKA_BROKERS: kafka.certificateBroker,
    KAFKA_SASL_MECHANISM: '',
    KAFKA_SASL_USERNAME: '',
    KAFKA_SASL_PASSWORD_FILE: '',
  };
}

function ownCertificate(of: TestAuthority): Environment {
  const { certificateFile, keyFile } = of.issue('inventory-gateway');
  return { KAFKA_TLS_CERT_FILE: certificateFile, KAFKA_TLS_KEY_FILE: keyFile };
}
