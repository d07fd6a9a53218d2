import type { AccountId } from '@inventory/contracts/ids';
import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newProjectId } from '@inventory/testkit/builders';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { startTestService } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { startEventStream } from '../src/start-event-stream.ts';
import { createDeliveryStore, type DeliveryStore } from '../src/webhooks/delivery-store.ts';
import type { WebhookDelivery } from '../src/webhooks/webhook-delivery.domain.ts';
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
let second: { stop(): Promise<void> };
let mongo: MongoConnection;
let deliveries: DeliveryStore;

beforeAll(async () => {
  world = await openWebhookWorld();
  second = await startTestService({ config: world.config, start: startEventStream });
  const namespace = await openNamespace({ topics: false });
  mongo = await connectMongo({
    uri: namespace.mongodbUri,
    database: namespace.database('claims'),
    service: 'test',
    logger: testLogger,
  });
  deliveries = createDeliveryStore(openDeliveryCollection(mongo.db), testLogger);
});
afterAll(async () => {
  await second.stop();
  await world.close();
  await mongo.close();
});
beforeEach(() => world.receiver.answerWith(() => ({ status: 204 })));

test('two replicas send each event once, to every endpoint of its Project (Events: webhooks)', async () => {
  const customers = Array.from({ length: 4 }, newCustomer);
  await Promise.all(
    customers.flatMap((customer, index) => [
      world.create(customer, `/${index}/a`),
      world.create(customer, `/${index}/b`),
    ]),
  );

  const refreshes = await Promise.all(customers.map((customer) => world.announce(customer, 10)));
  await waitFor('everything is sent', () => world.receiver.hooks.length >= 80);

  for (const [index, ids] of refreshes.entries()) {
    for (const path of [`/${index}/a`, `/${index}/b`]) {
      const received = world.receiver
        .of(path)
        .map(({ raw }) => JSON.parse(raw.toString()).data.refresh_id);
      expect(received.sort()).toEqual([...ids].sort());
    }
  }
});

test('an endpoint that hangs uses one request of all replicas and delays no other endpoint (Events: webhooks)', async () => {
  const [stuck, quick] = [newCustomer(), newCustomer()];
  await world.create(stuck, '/stuck');
  await world.create(quick, '/quick');
  const released = Promise.withResolvers<{ status: number }>();
  world.receiver.answerWith(({ path }) => (path === '/stuck' ? released.promise : { status: 200 }));

  await world.announce(stuck, 30);
  await waitFor('the endpoint is being tried', () => world.receiver.of('/stuck').length >= 1);
  await world.announce(quick, 10);
  await waitFor('the other gets its events', () => world.receiver.of('/quick').length >= 10);

  expect(world.receiver.of('/stuck')).toHaveLength(1);
  released.resolve({ status: 200 });
});

test('the limit of an account holds over all replicas, by its lease (Events: webhooks)', async () => {
  const { limits } = world.config.webhooks;
  const requestsPerAccountMax = 3;
  // The last slot is not for endpoints without a response: while requests of the account are held,
  // the first replica sends to no other, so that what a witness receives is sent by the second.
  const webhooks = { limits: { ...limits, requestsMax: 4, requestsPerAccountMax } };
  const bounded = await openWebhookWorld(webhooks);
  const first = newCustomer();
  const customers = [first, { ...newCustomer(), accountId: first.accountId }];
  const [held, released] = [new Set<unknown>(), Promise.withResolvers<void>()];
  bounded.receiver.answerWith(async (hook) => {
    if (hook.path === '/witness') return { status: 204 };
    held.add(hook);
    await released.promise;
    return { status: 204 };
  });
  for (const customer of customers) {
    for (const path of ['/a', '/b', '/c']) await bounded.create(customer, path);
  }
  const witness = newCustomer();
  await bounded.create(witness, '/witness');

  await Promise.all(customers.map((customer) => bounded.announce(customer, 5)));
  await waitFor('the account uses its part', () => held.size >= requestsPerAccountMax);
  const second = await startTestService({
    config: {
      ...bounded.config,
      webhooks: { ...bounded.config.webhooks, limits: { ...limits, requestsPerAccountMax } },
    },
    start: startEventStream,
  });
  for (let rounds = 1; rounds <= 5; rounds += 1) {
    await bounded.announce(witness);
    await waitFor(
      'the second replica sends',
      () => bounded.receiver.of('/witness').length >= rounds,
    );
  }
  const heldUnderLease = held.size;
  // The planted fault: without the lease, which the first acquires again with its next read of a log,
  // the second replica has a limit of its own.
  const leases = await openLeases(bounded);
  await waitFor('both replicas send to the account', async () => {
    await leases.remove(first.accountId);
    return held.size > requestsPerAccountMax;
  });
  await leases.close();
  released.resolve();
  await waitFor('everything is sent', () => held.size >= 30);
  await second.stop();
  await bounded.close();

  expect(heldUnderLease).toBe(requestsPerAccountMax);
});

async function openLeases({ config }: WebhookWorld) {
  const options = { ...config.mongodb, service: 'test', logger: testLogger };
  const { db, close } = await connectMongo(options);
  const leases = openAccountLeaseCollection(db);
  return { remove: (accountId: AccountId) => leases.deleteOne({ _id: accountId }), close };
}

/** A delivery that is due now, in a store that no replica reads. */
async function due(nowMs: number): Promise<WebhookDelivery> {
  const endpointId = `whe_${systemIdentifiers.uuidV7()}` as const;
  const eventId = `evt_${systemIdentifiers.uuidV7()}` as const;
  const projectId = newProjectId();
  const type = 'inventory.refresh.completed';
  const wanted = { endpointId, eventId, projectId, type, body: '{}', appendedAtMs: nowMs } as const;
  await deliveries.insertMissing([wanted], nowMs);
  return (await deliveries.listDeliveries(endpointId, { limit: 1 }))[0]
    ?.delivery as WebhookDelivery;
}

/** Null when it is claimed already. */
const claimOne = async (delivery: WebhookDelivery, untilMs: number) =>
  (await deliveries.claimDeliveries([delivery], untilMs))[0] ?? null;

const attempt = {
  ...{ atMs: 5_000, durationMs: 3 },
  ...{ status: 200, error: null, responseBody: '' },
} as const;

test('of concurrent claims of a delivery one succeeds, and another after it expires (Events: webhooks)', async () => {
  const delivery = await due(1_000);

  const claims = await Promise.all(Array.from({ length: 8 }, () => claimOne(delivery, 60_000)));
  const [held] = claims.filter((claim) => claim !== null);
  const ids = async (nowMs: number) =>
    (await deliveries.listDue(delivery.endpointId, nowMs, 1_000)).map(({ eventId }) => eventId);

  expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
  expect(await ids(59_999)).not.toContain(delivery.eventId);
  expect(await ids(60_000)).toContain(delivery.eventId);
  expect(await claimOne(held as WebhookDelivery, 120_000)).toMatchObject({
    claim: 2,
  });
});

test('of claims in bulk each delivery has one claimant (Events: webhooks)', async () => {
  const wanted = await Promise.all(Array.from({ length: 6 }, () => due(1_000)));

  const claims = await Promise.all(
    [0, 1, 2].map((from) => deliveries.claimDeliveries(wanted.slice(from, from + 4), 60_000)),
  );

  const ids = claims.flat().map(({ eventId }) => eventId);
  expect(ids.sort()).toEqual(wanted.map(({ eventId }) => eventId).sort());
});

test('a report under an earlier claim has no effect (Events: webhooks)', async () => {
  const delivery = await due(1_000);
  const paused = (await claimOne(delivery, 2_000)) as WebhookDelivery;
  const other = (await claimOne(paused, 3_000)) as WebhookDelivery;

  const stored = await deliveries.recordAttempts([
    { claimed: paused, attempt, progress: { state: 'delivered' } },
    {
      claimed: other,
      attempt: { ...attempt, status: 500, error: 'status' },
      progress: { state: 'pending', nextAttemptAtMs: 9_000, failures: 1 },
    },
  ]);

  expect(stored).toBe(1);
  const [kept] = await deliveries.listDeliveries(delivery.endpointId, { limit: 1 });
  expect(kept?.delivery).toMatchObject({ state: 'pending', failures: 1, attemptsTotal: 1 });
});

test('a delivery that is inserted again exists once (Events: webhooks)', async () => {
  const { endpointId, eventId, projectId, type, body } = await due(1_000);
  const same = { endpointId, eventId, projectId, type, body, appendedAtMs: 1_000 };
  const next = { ...same, eventId: `evt_${systemIdentifiers.uuidV7()}` } as const;

  expect(await deliveries.insertMissing([same, next], 2_000)).toBe(1);
  expect(await deliveries.listDeliveries(endpointId, { limit: 10 })).toHaveLength(2);
});

test('only the newest twenty attempts are kept, and all are counted', async () => {
  let delivery = await due(1_000);
  for (let times = 0; times < 23; times += 1) {
    delivery = (await claimOne(delivery, 2_000)) as WebhookDelivery;
    const failed = { ...attempt, atMs: times, status: 500, error: 'status' } as const;
    const progress = { state: 'pending', nextAttemptAtMs: 3_000, failures: times + 1 } as const;
    await deliveries.recordAttempts([{ claimed: delivery, attempt: failed, progress }]);
  }

  const [kept] = await deliveries.listDeliveries(delivery.endpointId, { limit: 1 });
  expect(kept?.delivery.attemptsTotal).toBe(23);
  expect(kept?.delivery.attempts.map(({ atMs }) => atMs)).toEqual(
    Array.from({ length: 20 }, (_none, index) => index + 3),
  );
});

test('a delivery whose replica was lost before it reported is sent again with the same id (Events: webhooks)', async () => {
  const customer = newCustomer();
  const endpoint = await world.create(customer, '/lost');
  await world.announce(customer);
  const isDelivered = ({ state }: { state: string }) => state === 'delivered';
  const sent = await deliveryWhen(world, endpoint, 'it arrives', isDelivered);
  const service = await connectMongo({
    ...world.config.mongodb,
    service: 'test',
    logger: testLogger,
  });

  // As if the process had ended between the answer and the record of it.
  await openDeliveryCollection(service.db).updateOne(
    { endpointId: endpoint.endpoint_id, eventId: sent.event_id },
    { $set: { state: 'pending', nextAttemptAt: new Date(), attempts: [], attemptsTotal: 0 } },
  );
  await service.close();
  const hooks = await waitFor('it is sent again', () => {
    const found = world.receiver.of('/lost');
    return found.length === 2 && found;
  });

  expect(new Set(hooks.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set([sent.event_id]),
  );
});
