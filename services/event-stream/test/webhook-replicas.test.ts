import { startTestService } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { startEventStream } from '../src/start-event-stream.ts';
import { newCustomer, openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

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
beforeEach(() => world.receiver.respondWith(() => ({ status: 204 })));

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
  world.receiver.respondWith(({ path }) =>
    path === '/stuck' ? released.promise : { status: 200 },
  );

  await world.announce(stuck, 30);
  await waitFor('the endpoint is being tried', () => world.receiver.of('/stuck').length >= 1);
  await world.announce(quick, 10);
  await waitFor('the other gets its events', () => world.receiver.of('/quick').length >= 10);

  expect(world.receiver.of('/stuck')).toHaveLength(1);
  released.resolve({ status: 200 });
});
