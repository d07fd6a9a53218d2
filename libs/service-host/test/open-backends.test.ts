import type { MessageBus } from '@inventory/messaging/bus';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { type Lifetime, openLifetime } from '@inventory/runtime/lifetime';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { openReplicaSet, type TestReplicaSet } from '@inventory/testkit/replica-set';
import { testServiceConfig } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { MongoClient } from 'mongodb';
import { openBackends } from '../src/open-backends.ts';

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

function open(lifetime: Lifetime) {
  const surroundings = { clock: systemClock, identifiers: systemIdentifiers };
  const context = { ...surroundings, config, lifetime, bus, logger: testLogger };
  return openBackends(context, 'gateway', [unique]);
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
