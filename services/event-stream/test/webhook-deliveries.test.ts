import { waitFor } from '@inventory/testkit/wait-for';
import { Webhook } from 'standardwebhooks';
import {
  deliveryWhen,
  newCustomer,
  openWebhookWorld,
  type WebhookWorld,
} from './support/webhook-world.ts';

let world: WebhookWorld;

beforeAll(async () => {
  world = await openWebhookWorld({
    retries: { scheduleMs: [50, 100, 100], retryAfterMaxMs: 60_000 },
    timeoutMs: 1_000,
  });
});
afterAll(() => world.close());
beforeEach(() => world.receiver.answerWith(() => ({ status: 204 })));

const headersOf = (hook: { headers: NodeJS.Dict<string | string[]> }) =>
  hook.headers as Record<string, string>;

test('a terminal refresh reaches its endpoint once, signed, as the JSON of the stream (Events: webhooks)', async () => {
  const customer = newCustomer();
  const endpoint = await world.create(customer, '/once');

  const [refreshId] = await world.announce(customer);
  const [hook] = await waitFor('the event arrives', () => {
    const hooks = world.receiver.of('/once');
    return hooks.length > 0 && hooks;
  });

  const event = new Webhook(endpoint.secret).verify(hook?.raw ?? '', headersOf(hook as never));
  expect(event).toMatchObject({
    type: 'inventory.refresh.completed',
    project_id: customer.projectId,
    data: { refresh_id: refreshId, state: 'completed', outcome: 'private' },
  });
  expect(hook?.headers['webhook-id']).toBe((event as { id: string }).id);
  const delivery = await deliveryWhen(
    world,
    endpoint,
    'it is kept',
    (one) => one.state === 'delivered',
  );
  expect(delivery).toMatchObject({
    event_id: (event as { id: string }).id,
    next_attempt_at: null,
    attempts: [{ status: 204, error: null }],
  });
  expect(world.receiver.of('/once')).toHaveLength(1);
});

test('a failed delivery is tried again with the same id and the same bytes until it succeeds (Events: webhooks)', async () => {
  const customer = newCustomer();
  const endpoint = await world.create(customer, '/again');
  let failures = 0;
  world.receiver.answerWith(() => ({ status: failures++ < 2 ? 500 : 200 }));

  await world.announce(customer);
  const delivery = await deliveryWhen(
    world,
    endpoint,
    'it succeeds',
    (one) => one.state === 'delivered',
  );

  const hooks = world.receiver.of('/again');
  expect(new Set(hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(hooks.map(({ raw }) => raw.toString())).size).toBe(1);
  expect(delivery.attempts.map(({ status, error }) => [status, error])).toEqual([
    [500, 'status'],
    [500, 'status'],
    [200, null],
  ]);
  expect(await world.read(customer.projectId, endpoint.endpoint_id)).toMatchObject({
    state: 'enabled',
    failing_since: null,
  });
});
