import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { testLogger } from '@inventory/testkit/namespace';
import { startTestService } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { startEventStream } from '../src/start-event-stream.ts';
import { openWebhookCollections } from '../src/webhooks/webhook-document.ts';
import {
  deliveryWhen,
  newCustomer,
  openWebhookWorld,
  type WebhookWorld,
} from './support/webhook-world.ts';

let world: WebhookWorld;
let mongo: MongoConnection;
const isDelivered = ({ state }: { state: string }) => state === 'delivered';

beforeAll(async () => {
  world = await openWebhookWorld({
    // No machine is so slow that an endpoint of these tests is.
    limits: {
      ...{ requestsMax: 64, requestsPerEndpointMax: 4 },
      ...{ slowFromMs: 600_000, runMs: 600_000 },
      ...{ claimMs: 1_200_000, waitMaxMs: 86_400_000 },
    },
    retries: { scheduleMs: [50, 100], retryAfterMaxMs: 86_400_000 },
  });
  mongo = await connectMongo({ ...world.config.mongodb, service: 'test', logger: testLogger });
});
afterAll(async () => {
  await world.close();
  await mongo.close();
});

/** An endpoint that responds fast, in a run of many events: four requests are held. */
async function withHeldRun(path: string, events = 20) {
  const { receiver } = world;
  const customer = newCustomer();
  const endpoint = await world.create(customer, path);
  receiver.respondWith(() => ({ status: 204 }));
  await world.announce(customer);
  await deliveryWhen(world, endpoint, 'the endpoint responds', isDelivered);
  const [opening, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  receiver.respondWith(async (hook) => {
    const count = receiver.of(hook.path).length;
    if (hook.path === path && count === 2) await opening.promise;
    else if (hook.path === path && count <= 6) await released.promise;
    return { status: 204 };
  });
  await world.announce(customer);
  await waitFor('the first run is under way', () => receiver.of(path).length === 2);
  await world.announce(customer, events);
  const log = mongo.db.collection('projectLog');
  await waitFor(
    'the events are appended',
    async () => (await log.countDocuments({ projectId: customer.projectId })) === events + 2,
  );
  opening.resolve();
  await waitFor('four requests are held', () => receiver.of(path).length === 6);
  return { customer, endpoint, release: released.resolve };
}

const storedOf = (endpointId: string) =>
  openWebhookCollections(mongo.db)
    .deliveries.find({ endpointId: endpointId as never })
    .toArray();

const eventsOf = (path: string) =>
  world.receiver.of(path).map(({ headers }) => headers['webhook-id']);

test('an endpoint that responds fast has four requests at once, and each event one delivery, listed while it waits (Events: webhooks)', async () => {
  const { endpoint, release } = await withHeldRun('/kept-up');
  const before = await storedOf(endpoint.endpointId);
  release();
  const stored = await waitFor('everything is delivered', async () => {
    const all = await storedOf(endpoint.endpointId);
    return all.every(isDelivered) && all;
  });

  expect(before.filter(isDelivered)).toHaveLength(2);
  expect([before.length, stored.length]).toEqual([22, 22]);
  expect(stored.every(({ attemptsTotal }) => attemptsTotal === 1)).toBe(true);
  expect(new Set(eventsOf('/kept-up')).size).toBe(22);
  expect(eventsOf('/kept-up')).toHaveLength(22);
});

test('after the loss of a replica another one claims the endpoint and sends what has no result, and each event has one delivery (Events: webhooks)', async () => {
  const { customer, endpoint, release } = await withHeldRun('/lost');
  const second = await startTestService({ config: world.config, start: startEventStream });

  // As if its claim had expired: the first replica has no response and stores nothing.
  await openWebhookCollections(mongo.db).endpoints.updateOne(
    { projectId: customer.projectId },
    { $set: { 'work.dueAtMs': Date.now() } },
  );
  const stored = await waitFor('the second replica has sent everything', async () => {
    const all = await storedOf(endpoint.endpointId);
    return all.length === 22 && all.every(isDelivered) && all;
  });
  const sent = eventsOf('/lost');
  release();
  await second.stop();

  expect(new Set(stored.map(({ eventId }) => eventId))).toEqual(new Set(sent));
  // Only the four requests without a response were sent again.
  expect(sent).toHaveLength(22 + 4);
});

test('once an endpoint was disabled no further event of its run is sent, and all are ended (Events: webhooks)', async () => {
  const { endpoint, release } = await withHeldRun('/switched-off');

  await world.change(endpoint.projectId, endpoint.endpointId, { state: 'disabled' });
  release();
  const ended = await waitFor('the others are ended', async () => {
    const all = await storedOf(endpoint.endpointId);
    return all.length === 22 && all.every(({ state }) => state !== 'pending') && all;
  });

  expect(eventsOf('/switched-off')).toHaveLength(6);
  expect(ended.filter(({ failure }) => failure === 'endpoint_disabled')).toHaveLength(16);
});

test('once an endpoint was deleted no further event of its run is sent, and none of its deliveries is left (Events: webhooks)', async () => {
  const { endpoint, release } = await withHeldRun('/removed');

  await world.remove(endpoint.projectId, endpoint.endpointId);
  release();
  const collection = openWebhookCollections(mongo.db).deliveries;
  const { endpointId } = endpoint;
  await waitFor('the held requests have ended', async () => {
    // A customer of its own is sent to after them.
    const witness = newCustomer();
    const other = await world.create(witness, '/witness');
    await world.announce(witness);
    await deliveryWhen(world, other, 'the witness responds', isDelivered);
    return (await collection.countDocuments({ endpointId: endpointId as never })) === 0;
  });

  expect(eventsOf('/removed')).toHaveLength(6);
});
