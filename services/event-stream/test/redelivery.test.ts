import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { newAccountId, newProjectId } from '@inventory/testkit/builders';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { createDeliveryStore } from '../src/webhooks/delivery-store.ts';
import { redeliverRange } from '../src/webhooks/redeliver.ts';
import { openWebhookCollections, webhookIndexes } from '../src/webhooks/webhook-document.ts';
import type { WebhookEndpoint } from '../src/webhooks/webhook-endpoint.domain.ts';

const clock = createTestClock(1_000_000_000);
const perMinute = 100;
let mongo: MongoConnection;

beforeAll(async () => {
  const { mongodbUri: uri, database } = await openNamespace({ topics: false });
  const names = { database: database('redelivery'), service: 'event-stream' };
  mongo = await connectMongo({ uri, ...names, logger: testLogger });
  await ensureIndexes(mongo.db, webhookIndexes);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

test('a range that the log keeps no more is sent again in parts, each event in one of them (Events: webhooks)', async () => {
  const collection = openWebhookCollections(mongo.db).deliveries;
  const endpointId = 'whe_1';
  const count = 10_150;
  const documents = Array.from({ length: count }, (_, at) => ({
    _id: `${endpointId}/${at}`,
    endpointId,
    state: at % 3 === 0 ? 'failed' : 'delivered',
    appendedAt: new Date(Math.floor(at / perMinute) * 60_000),
    nextAttemptAt: null,
    failures: 1,
  }));
  await collection.insertMany(documents as never[]);
  const endpoint = {
    id: endpointId,
    accountId: newAccountId(),
    projectId: newProjectId(),
    types: [],
    nextPosition: 0,
  } as unknown as WebhookEndpoint;
  const deps = {
    log: { listBetween: async () => [], findEntry: async () => null },
    deliveries: createDeliveryStore(collection, testLogger),
    clock,
    wake: async () => undefined,
  };

  const whole = { sinceMs: 0, untilMs: clock.now() };
  const first = await redeliverRange(deps, endpoint, whole);
  const continueSinceMs = first.continueSinceMs ?? Number.NaN;
  const second = await redeliverRange(deps, endpoint, { ...whole, sinceMs: continueSinceMs });

  expect(first).toEqual({ redelivered: 10_000, continueSinceMs: 100 * 60_000 });
  expect(second).toEqual({ redelivered: 150, continueSinceMs: null });
  expect(await collection.countDocuments({ state: 'pending' })).toBe(count);
});

test('deliveries are due from their time on, later ones are retrying, ended ones are neither', async () => {
  const collection = openWebhookCollections(mongo.db).deliveries;
  await collection.deleteMany({});
  const count = () => createDeliveryStore(collection, testLogger).countBacklog(clock.now());
  expect(await count()).toEqual({ due: 0, dueSinceMs: null, retrying: 0 });
  const states = [
    ['pending', -5_000],
    ['pending', 0],
    ['pending', 1],
    ['delivered', null],
    ['failed', null],
  ] as const;
  const docs = states.map(([state, inMs], place) => ({
    _id: `endpoint/${place}`,
    state,
    nextAttemptAt: inMs === null ? null : new Date(clock.now() + inMs),
  }));
  await collection.insertMany(docs as never[]);

  expect(await count()).toEqual({ due: 2, dueSinceMs: clock.now() - 5_000, retrying: 1 });
});
