import { connectMongo } from '@inventory/mongo/connect';
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
let second: { stop(): Promise<void> };

beforeAll(async () => {
  world = await openWebhookWorld();
  second = await startTestService({ config: world.config, start: startEventStream });
});
afterAll(async () => {
  await second.stop();
  await world.close();
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
  const { deliveries, endpoints } = openWebhookCollections(service.db);
  await deliveries.updateOne(
    { endpointId: endpoint.endpoint_id, eventId: sent.event_id },
    { $set: { state: 'pending', nextAttemptAt: new Date(), attempts: [], attemptsTotal: 0 } },
  );
  const work = { dueAt: new Date(), tries: 1, owner: 'a lost replica' };
  await endpoints.updateOne({ endpointId: endpoint.endpoint_id }, { $set: { work } });
  await service.close();
  const hooks = await waitFor('it is sent again', () => {
    const found = world.receiver.of('/lost');
    return found.length === 2 && found;
  });

  expect(new Set(hooks.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set([sent.event_id]),
  );
});
