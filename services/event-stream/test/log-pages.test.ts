import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { testLogger } from '@inventory/testkit/namespace';
import { startTestService } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { startEventStream } from '../src/start-event-stream.ts';
import {
  openAccountLeaseCollection,
  openDeliveryCollection,
} from '../src/webhooks/webhook-document.ts';
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
      ...{ requestsMax: 64, requestsPerAccountMax: 16, requestsPerEndpointMax: 4 },
      ...{ slowFromMs: 600_000, claimMs: 1_200_000 },
    },
    retries: { scheduleMs: [50, 100], retryAfterMaxMs: 86_400_000 },
  });
  mongo = await connectMongo({ ...world.config.mongodb, service: 'test', logger: testLogger });
});
afterAll(async () => {
  await world.close();
  await mongo.close();
});

/** An endpoint that keeps up, with a page of its log in memory: four requests are held. */
async function withHeldPage(path: string, events = 20) {
  const { receiver } = world;
  const customer = newCustomer();
  const endpoint = await world.create(customer, path);
  receiver.answerWith(() => ({ status: 204 }));
  await world.announce(customer);
  await deliveryWhen(world, endpoint, 'the endpoint responds', isDelivered);
  const [opening, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  receiver.answerWith(async (hook) => {
    const count = receiver.of(hook.path).length;
    if (hook.path === path && count === 2) await opening.promise;
    else if (hook.path === path && count <= 6) await released.promise;
    return { status: 204 };
  });
  await world.announce(customer);
  await waitFor('the first page is being sent', () => receiver.of(path).length === 2);
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
  openDeliveryCollection(mongo.db)
    .find({ endpointId: endpointId as never })
    .toArray();

const eventsOf = (path: string) =>
  world.receiver.of(path).map(({ headers }) => headers['webhook-id']);

test('an endpoint that keeps up is sent its events from the log, each stored once with its first result (Events: webhooks)', async () => {
  const { endpoint, release } = await withHeldPage('/kept-up');
  const before = await storedOf(endpoint.endpoint_id);
  release();
  const stored = await waitFor('everything is stored', async () => {
    const all = await storedOf(endpoint.endpoint_id);
    return all.length === 22 && all;
  });

  expect(before.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  expect(stored.map(({ state, attemptsTotal }) => [state, attemptsTotal])).toEqual(
    Array(22).fill(['delivered', 1]),
  );
  // The first one was inserted and claimed, before the endpoint had responded.
  expect(stored.map(({ claim }) => claim).sort()).toEqual([...Array(21).fill(0), 1]);
  expect(new Set(eventsOf('/kept-up')).size).toBe(22);
  expect(eventsOf('/kept-up')).toHaveLength(22);
});

test('after the loss of a replica the events of its page are sent by another one, and each has one delivery (Events: webhooks)', async () => {
  const { customer, endpoint, release } = await withHeldPage('/lost');
  const second = await startTestService({ config: world.config, start: startEventStream });

  // As if its lease had ended: the first replica has no response and stores nothing.
  await openAccountLeaseCollection(mongo.db).deleteOne({ _id: customer.accountId });
  const stored = await waitFor('the second replica has sent everything', async () => {
    const all = await storedOf(endpoint.endpoint_id);
    return all.length === 22 && all.every(isDelivered) && all;
  });
  const sent = eventsOf('/lost');
  release();
  await second.stop();

  expect(new Set(stored.map(({ eventId }) => eventId))).toEqual(new Set(sent));
  // Only the four requests without a response were sent again.
  expect(sent).toHaveLength(22 + 4);
});

test('once an endpoint was disabled no further event of its page is sent, and all are ended (Events: webhooks)', async () => {
  const { endpoint, release } = await withHeldPage('/switched-off');

  await world.change(endpoint.project_id, endpoint.endpoint_id, { state: 'disabled' });
  release();
  const ended = await waitFor('the others are ended', async () => {
    const all = await storedOf(endpoint.endpoint_id);
    return all.length === 22 && all.every(({ state }) => state !== 'pending') && all;
  });

  expect(eventsOf('/switched-off')).toHaveLength(6);
  expect(ended.filter(({ failure }) => failure === 'endpoint_disabled')).toHaveLength(16);
});

test('once an endpoint was deleted no further event of its page is sent, and none of its deliveries is left (Events: webhooks)', async () => {
  const { endpoint, release } = await withHeldPage('/removed');

  await world.remove(endpoint.project_id, endpoint.endpoint_id);
  release();
  const collection = openDeliveryCollection(mongo.db);
  const { endpoint_id: endpointId } = endpoint;
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

test('a failure ends a page: it is retried, and the rest is sent from the queue, each once (Events: webhooks)', async () => {
  const { customer, endpoint, release } = await withHeldPage('/failing');
  let failures = 0;
  world.receiver.answerWith(() => ({ status: failures++ === 0 ? 503 : 204 }));
  await world.announce(customer);
  release();

  const stored = await waitFor('everything is delivered', async () => {
    const all = await storedOf(endpoint.endpoint_id);
    return all.length === 23 && all.every(isDelivered) && all;
  });

  const attempts = stored.map(({ attemptsTotal }) => attemptsTotal).sort();
  expect(attempts).toEqual([...Array(22).fill(1), 2]);
  expect(eventsOf('/failing')).toHaveLength(24);
});
