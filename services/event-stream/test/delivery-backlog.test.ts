import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { countBacklog } from '../src/storage/delivery-backlog.ts';
import { openDeliveryCollection, webhookIndexes } from '../src/webhooks/webhook-document.ts';

const clock = createTestClock();
let mongo: MongoConnection;

beforeAll(async () => {
  const { mongodbUri: uri, database } = await openNamespace({ topics: false });
  mongo = await connectMongo({
    uri,
    database: database('backlog'),
    service: 'event-stream',
    logger: testLogger,
  });
  await ensureIndexes(mongo.db, webhookIndexes);
});
afterAll(() => mongo.close());

test('deliveries are due from their time on, later ones are retrying, ended ones are neither', async () => {
  const deliveries = openDeliveryCollection(mongo.db);
  const count = () => countBacklog(deliveries, clock.now());
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
  await deliveries.insertMany(docs as never[]);

  expect(await count()).toEqual({ due: 2, dueSinceMs: clock.now() - 5_000, retrying: 1 });
});
