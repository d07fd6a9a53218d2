import type { MessageBus } from '@inventory/messaging/bus';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { type Lifetime, openLifetime } from '@inventory/runtime/lifetime';
import { createLogger, type Logger } from '@inventory/runtime/logger';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { openReplicaSet, type TestReplicaSet } from '@inventory/testkit/replica-set';
import { testServiceConfig } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { MongoClient } from 'mongodb';
import { prepareIndexes } from '../src/jobs.ts';
import { openBackends } from '../src/open-backends.ts';
import { restoreTasks } from '../src/restore-tasks.ts';

const far = 600_000;
const health = { started: true, alive: true, problems: [] };
const bus = { health: () => health, close: async () => {} } as unknown as MessageBus;

let set: TestReplicaSet;
let config: ReturnType<typeof testServiceConfig>;
let operator: MongoClient;

beforeEach(async () => {
  const namespace = await openNamespace({ topics: false });
  set = await openReplicaSet({ target: namespace.mongodbUri });
  const common = testServiceConfig(namespace, 'host');
  config = { ...common, mongodb: { ...common.mongodb, uri: set.uri } };
  operator = await MongoClient.connect(set.uri);
});
afterEach(async () => {
  await operator.db(config.mongodb.database).dropDatabase();
  await operator.close();
  await set.close();
});

const unique = {
  collection: 'things',
  indexes: [{ name: 'kind', keys: { kind: 1 }, options: { unique: true } }],
} as const;
const things = () => operator.db(config.mongodb.database).collection('things');

function open(lifetime: Lifetime, { logger = testLogger, indexesOnly = false } = {}) {
  const surroundings = { clock: systemClock, identifiers: systemIdentifiers, logger };
  const context = { ...surroundings, config, lifetime, bus, indexesOnly };
  return openBackends(context, 'gateway', [unique]);
}

/** The lines that it logs. */
function openLog(): { readonly lines: string[]; readonly logger: Logger } {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, logger: createLogger({ service: 'test', level: 'error', destination }) };
}

test('during an election a service stays ready and alive, and says that it is degraded (readiness)', async () => {
  const lifetime = openLifetime(testLogger, far);
  const { health: checks } = await open(lifetime);
  expect(await checks.notReady()).toEqual([]);

  set.beginElection();
  await waitFor('the election is known', async () => {
    expect(await checks.notReady()).toEqual([]);
    return checks.degraded().includes('MongoDB has no primary yet');
  });
  expect(checks.notAlive()).toEqual([]);
  set.endElection();
  await waitFor('there is a primary', async () => {
    expect(await checks.notReady()).toEqual([]);
    return checks.degraded().length === 0;
  });

  await lifetime.close();
});

test('a service whose unique index has another definition waits, with the command, until that is removed', async () => {
  await things().createIndex({ other: 1 }, { name: 'kind' });
  const { lines, logger } = openLog();
  const lifetime = openLifetime(logger, far);

  const opening = open(lifetime, { logger });
  await waitFor('its operator knows', () => lines.length > 0);
  expect(lines.join()).toContain(".getCollection('things').dropIndex('kind')");
  await things().dropIndex('kind');
  const { db } = await opening;

  expect(await db.collection('things').indexExists('kind')).toBe(true);
  expect(lines).toHaveLength(1);
  await lifetime.close();
});

test('the job of indexes ends with the command where an index has another definition', async () => {
  const run = (logger: Logger) =>
    prepareIndexes(logger, far, (lifetime) => open(lifetime, { logger, indexesOnly: true }));
  expect(await run(testLogger)).toBe(true);
  await things().dropIndex('kind');
  await things().createIndex({ other: 1 }, { name: 'kind' });
  const { lines, logger } = openLog();

  expect(await run(logger)).toBe(false);

  expect(lines.join()).toContain(".getCollection('things').dropIndex('kind')");
});

test('a database is dropped by its own name alone, with everything in it (restore)', async () => {
  const [drop] = restoreTasks('gateway');
  const run = async (...argv: string[]) => {
    const lifetime = openLifetime(testLogger, far);
    const surroundings = { clock: systemClock, identifiers: systemIdentifiers };
    const context = { ...surroundings, config, lifetime, logger: testLogger };
    const done = await drop?.run(context, ['--drop-database', ...argv]);
    await lifetime.close();
    return done;
  };
  await things().insertOne({ kind: 'a' });
  const { database } = config.mongodb;
  const collections = () => operator.db(database).listCollections().toArray();

  expect([await run(), await run('inventory_other')]).toEqual([false, false]);
  expect(await collections()).toHaveLength(1);
  expect(await run(database)).toBe(true);
  expect(await collections()).toEqual([]);
});
