import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backends, provisionBackends } from '../src/provision-backends.ts';
import { serverVersions } from '../src/server-versions.ts';
import { allDocuments, insertDocument } from './documents.ts';
import { machineEnvironment } from './machine-environment.ts';
import { consumeRecord, produceRecord, topicNames } from './records.ts';

const environment = machineEnvironment();
const running: Backends[] = [];
let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'native-backends-'));
});

afterEach(async () => {
  for (const backends of running.splice(0)) await backends.stop();
  rmSync(parent, { recursive: true, force: true });
});

async function provision(dataDir?: string): Promise<Backends> {
  const backends = await provisionBackends({
    environment,
    docker: 'never',
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  running.push(backends);
  return backends;
}

/** Throws when one of the backends is not a native process. */
function processesOf(backends: Backends) {
  const { kafka, mongodb } = backends;
  if (kafka === null || mongodb === null) throw new Error('these backends are not native');
  return { kafka, mongodb };
}

test('killed servers are started again with every acknowledged record and document', async () => {
  const backends = await provision(join(parent, 'data'));
  const { kafka, mongodb } = processesOf(backends);
  await produceRecord(backends.kafkaBrokers, 'orders', 'acknowledged');
  await insertDocument(backends.mongodbUri, { _id: 'acknowledged' });

  await Promise.all([kafka.kill(), mongodb.kill()]);
  expect([kafka.pid, mongodb.pid]).toEqual([null, null]);
  await Promise.all([kafka.untilReady(), mongodb.untilReady()]);

  expect(await consumeRecord(backends.kafkaBrokers, 'orders')).toBe('acknowledged');
  expect(await allDocuments(backends.mongodbUri)).toEqual([{ _id: 'acknowledged' }]);
});

test('a later start on the same directory finds the data of the earlier one', async () => {
  const dataDir = join(parent, 'data');
  const first = await provision(dataDir);
  await produceRecord(first.kafkaBrokers, 'orders', 'kept');
  await insertDocument(first.mongodbUri, { _id: 'kept' });
  await first.stop();

  const second = await provision(dataDir);

  expect(await consumeRecord(second.kafkaBrokers, 'orders')).toBe('kept');
  expect(await allDocuments(second.mongodbUri)).toEqual([{ _id: 'kept' }]);
});

test('two provisions at once share nothing', async () => {
  const [one, two] = await Promise.all([provision(), provision()]);
  await produceRecord(one.kafkaBrokers, 'only-here', 'one');
  await insertDocument(one.mongodbUri, { _id: 'one' });

  expect(await topicNames(two.kafkaBrokers)).toEqual([]);
  expect(await allDocuments(two.mongodbUri)).toEqual([]);
  await two.stop();

  expect(await consumeRecord(one.kafkaBrokers, 'only-here')).toBe('one');
  expect(await allDocuments(one.mongodbUri)).toEqual([{ _id: 'one' }]);
});

describe('a provision that runs', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'native-backends-'));
  let backends: Backends;

  beforeAll(async () => {
    backends = await provisionBackends({ environment, docker: 'never', dataDir });
  });

  afterAll(async () => {
    await backends.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('refuses its data to a second start and keeps running', async () => {
    await expect(provision(dataDir)).rejects.toThrow(/in use by another process\. Stop it first/);

    await insertDocument(backends.mongodbUri, { _id: 'still here' });
    expect(await allDocuments(backends.mongodbUri)).toHaveLength(1);
  });

  test('reports which servers run', () => {
    expect(backends.origin.kafka).toBe(`Apache Kafka ${serverVersions.kafka}, native process`);
    expect(backends.origin.mongodb).toMatch(/^(SecantusDB|MongoDB) \d.*, native process$/);
  });

  test('is used by its addresses and never stopped through them', async () => {
    const given = await provisionBackends({
      environment: {
        ...environment,
        KAFKA_BROKERS: backends.kafkaBrokers,
        MONGODB_URI: backends.mongodbUri,
      },
    });
    expect(given).toMatchObject({
      kafkaBrokers: backends.kafkaBrokers,
      mongodbUri: backends.mongodbUri,
      kafka: null,
      mongodb: null,
    });

    await given.stop();

    expect(await topicNames(backends.kafkaBrokers)).toEqual([]);
    expect(await allDocuments(backends.mongodbUri)).toHaveLength(1);
  });
});

test('an address where nothing answers is reported with its setting, and no password', async () => {
  const dead = {
    ...environment,
    KAFKA_BROKERS: '127.0.0.1:1',
    MONGODB_URI: 'mongodb://u:hunter2@127.0.0.1:1/',
  };

  const failing = provisionBackends({ environment: dead });

  await expect(failing).rejects.toThrow(/KAFKA_BROKERS|MONGODB_URI/);
  await expect(failing).rejects.not.toThrow(/hunter2/);
});

test('when one backend cannot be started the other is stopped', async () => {
  const dataDir = join(parent, 'data');

  const failing = provisionBackends({
    environment: { ...environment, JAVA_HOME: '/nowhere', PATH: '/nowhere' },
    docker: 'never',
    dataDir,
  });

  await expect(failing).rejects.toThrow(/Kafka needs Java|No MongoDB server can be run/);
  expect(existsSync(join(dataDir, 'kafka', 'server.pid'))).toBe(false);
  expect(existsSync(join(dataDir, 'mongodb', 'server.pid'))).toBe(false);
});
