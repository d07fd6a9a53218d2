import { logBatch } from '@inventory/contracts/internal/event-log';
import { connectMongo } from '@inventory/mongo/connect';
import { isoTime } from '@inventory/runtime/clock';
import { systemIdentifiers, uuidV5 } from '@inventory/runtime/identifiers';
import { newProjectId } from '@inventory/testkit/builders';
import { type MessageRecorder, recordMessages } from '@inventory/testkit/message-recorder';
import { testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { Webhook } from 'standardwebhooks';
import { openLogCollections } from '../src/log/log-document.ts';
import {
  type Customer,
  deliveryWhen,
  newCustomer,
  openWebhookWorld,
  type WebhookWorld,
} from './support/webhook-world.ts';

let world: WebhookWorld;
let doorbell: MessageRecorder;

beforeAll(async () => {
  world = await openWebhookWorld({
    retries: { scheduleMs: [50, 100, 100], retryAfterMaxMs: 86_400_000 },
  });
  doorbell = await recordMessages(world.bus, ['project.events.v1']);
});
afterAll(() => world.close());
beforeEach(() => world.receiver.respondWith(() => ({ status: 204 })));

const arrived = (path: string, times = 1) =>
  waitFor(`${times} requests reach ${path}`, () => {
    const hooks = world.receiver.of(path);
    return hooks.length >= times && hooks;
  });
const isDelivered = (one: { state: string }) => one.state === 'delivered';
const isFailed = (one: { state: string }) => one.state === 'failed';

/** A new Project with an endpoint at a path of its own. */
async function subscribed(path: string, overrides: object = {}) {
  const customer = newCustomer();
  const endpoint = await world.create(customer, path, overrides);
  return { customer, endpoint };
}

/** Everything of the Project is in its log; an event may be announced more than once. */
const appended = ({ projectId }: Customer, times: number) =>
  waitFor('the events are appended', () => {
    const rung = doorbell.of('project.event-appended.v1');
    return rung.some((one) => one.projectId === projectId && one.position >= times);
  });

test('a terminal refresh reaches its endpoint once, signed, as the JSON of the stream (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/once');

  const [refreshId] = await world.announce(customer);
  const delivery = await deliveryWhen(world, endpoint, 'it arrives', isDelivered);
  const [hook] = await arrived('/once');

  const event = new Webhook(endpoint.secret).verify(
    hook?.raw ?? '',
    hook?.headers as Record<string, string>,
  );
  expect(event).toMatchObject({
    id: delivery.eventId,
    type: 'inventory.refresh.completed',
    project_id: customer.projectId,
    data: { refresh_id: refreshId, state: 'completed', outcome: 'private' },
  });
  expect(hook?.headers['webhook-id']).toBe(delivery.eventId);
  expect(hook?.headers['content-type']).toBe('application/json');
  expect(hook?.headers['inventory-environment']).toBe('live');
  expect(delivery).toMatchObject({
    nextAttemptAtMs: null,
    failure: null,
    attemptsTotal: 1,
    attempts: [{ status: 204, error: null }],
  });
  expect(world.receiver.of('/once')).toHaveLength(1);
});

test('an event of a type that a later version appended reaches endpoint and log page byte for byte (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/later-type');
  const { projectId, endpointId } = endpoint;
  const id = `evt_${systemIdentifiers.uuidV7()}` as const;
  const type = 'inventory.later.type';
  const json =
    `{"10":{},"zulu":1,"type":"${type}","id":"${id}","project_id":"${projectId}","version":7,` +
    '"data":{"b":[{"y":1e+21,"a":"\\u001f"}],"a":null},' +
    '"occurred_at":"2026-11-21T10:00:00.000Z","links":{}}';
  const mongo = await connectMongo({
    ...world.config.mongodb,
    service: 'test',
    logger: testLogger,
  });
  await mongo.db.collection('webhookEndpoints').updateOne({ endpointId }, {
    $push: { types: type },
    $inc: { version: 1 },
  } as object);

  await openLogCollections(mongo.db).log.insertOne({
    _id: `${projectId}/000000000001`,
    ...{ projectId, accountId: customer.accountId, position: 1 },
    event: { id, type, occurredAtMs: 0, refreshId: null, json },
    appendedAtMs: Date.now(),
  });
  await mongo.close();
  // A change makes the endpoint due, as the append does.
  await world.change(projectId, endpointId, { description: 'of a later type' });
  const [hook] = await arrived('/later-type');
  const delivery = await deliveryWhen(world, endpoint, 'it is recorded', isDelivered);
  const path = `/projects/${projectId}/log`;
  const query = { after: 0, limit: 5 };
  const page = await world.client.json(logBatch, { method: 'GET', path, query });

  expect(hook?.raw.toString()).toBe(json);
  expect(page.items.map(({ event }) => event.json)).toEqual([json]);
  expect(delivery).toMatchObject({ eventId: id, type });
  expect((await world.read(projectId, endpointId)).types).toContain(type);
});

test('a failed delivery is tried again with the same id and the same bytes until it succeeds (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/again');
  let failures = 0;
  world.receiver.respondWith(() => ({ status: failures++ < 2 ? 500 : 200 }));

  await world.announce(customer);
  const delivery = await deliveryWhen(world, endpoint, 'it succeeds', isDelivered);

  const hooks = world.receiver.of('/again');
  expect(new Set(hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(hooks.map(({ raw }) => raw.toString())).size).toBe(1);
  expect(delivery.attempts.map(({ status, error }) => [status, error])).toEqual([
    [500, 'status'],
    [500, 'status'],
    [200, null],
  ]);
  expect(await world.read(customer.projectId, endpoint.endpointId)).toMatchObject({
    state: 'enabled',
    failingSinceMs: null,
  });
});

test('a redirect is a failure and is not followed (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/moved');
  const location = `${world.receiver.url}/elsewhere`;
  world.receiver.respondWith(() => ({ status: 307, headers: { location } }));

  await world.announce(customer);
  const delivery = await deliveryWhen(world, endpoint, 'it has failed', isFailed);

  expect(delivery).toMatchObject({ failure: 'attempts_exhausted', attemptsTotal: 4 });
  expect(delivery.attempts[0]).toMatchObject({ status: 307, error: 'redirect' });
  expect(world.receiver.of('/elsewhere')).toEqual([]);
});

test('a 410 response disables the endpoint at once, with the reason (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/gone');
  world.receiver.respondWith(() => ({ status: 410 }));

  await world.announce(customer);
  const disabled = await waitFor('the endpoint is disabled', async () => {
    const found = await world.read(customer.projectId, endpoint.endpointId);
    return found.state === 'disabled' && found;
  });
  // It may be ended, with its endpoint, before its attempt is recorded.
  const delivery = await deliveryWhen(
    world,
    endpoint,
    'its attempt is recorded',
    (one) => isFailed(one) && one.attemptsTotal > 0,
  );

  expect(disabled.disabledReason).toBe('gone');
  expect(delivery).toMatchObject({ failure: 'endpoint_disabled', attemptsTotal: 1 });
});

test('each attempt shows the first KiB of its response, without secrets of the endpoint (Events: webhooks) [webhooks-managing]', async () => {
  const { customer, endpoint } = await subscribed('/shown');
  const long = `${'x'.repeat(2_000)}`;
  let failures = 0;
  world.receiver.respondWith(() =>
    failures++ < 1
      ? { status: 500, body: `secret ${endpoint.secret}: ${long}` }
      : { status: 200, body: 'thanks' },
  );

  await world.announce(customer);
  const delivery = await deliveryWhen(world, endpoint, 'it succeeds', isDelivered);

  const start = 'secret [secret]: ';
  expect(delivery.attempts.map(({ responseBody }) => responseBody)).toEqual([
    `${start}${'x'.repeat(1_024 - start.length)}`,
    'thanks',
  ]);
});

test('deliveries are listed by state and time of creation, page by page (Events: webhooks) [webhooks-managing]', async () => {
  const { customer, endpoint } = await subscribed('/listed');
  const { projectId: project, endpointId: id } = endpoint;
  await world.announce(customer, 3);
  const all = await waitFor('all are delivered', async () => {
    const { items } = await world.deliveries(project, id, { state: 'delivered' });
    return items.length === 3 && items;
  });
  await world.change(project, id, { state: 'disabled' });
  const { eventId } = await world.ping(project, id);
  await deliveryWhen(world, endpoint, 'the test arrives', (one) => one.eventId === eventId);
  const from = isoTime(all[2]?.createdAtMs ?? 0);
  const list = async (query: Record<string, string>) =>
    (await world.deliveries(project, id, query)).items.map((item) => item.eventId);
  const ids = all.map((item) => item.eventId);

  const paged: string[] = [];
  for (let before: string | null = ''; before !== null; ) {
    const query = { state: 'delivered', from, limit: 2, ...(before && { before }) };
    const page = await world.deliveries(project, id, query);
    paged.push(...page.items.map((item) => item.eventId));
    before = page.nextBefore;
  }

  expect(paged.filter((one) => one !== eventId)).toEqual(ids);
  expect(await list({ to: from })).toEqual([]);
  expect(await list({ from: '2100-01-01T00:00:00.000Z' })).toEqual([]);
  expect(
    await list({ from: isoTime(endpoint.createdAtMs), to: '2100-01-01T00:00:00.000Z' }),
  ).toEqual(expect.arrayContaining([...ids, eventId]));
  expect(await list({ state: 'failed', from })).toEqual([]);
});

test('Retry-After delays the next attempt (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/later');
  world.receiver.respondWith(() => ({ status: 503, headers: { 'retry-after': '3600' } }));

  await world.announce(customer);
  const tried = (one: { attemptsTotal: number }) => one.attemptsTotal > 0;
  const delivery = await deliveryWhen(world, endpoint, 'it was tried', tried);

  expect(delivery.nextAttemptAtMs).toBe((delivery.attempts[0]?.atMs ?? 0) + 3_600_000);
});

test('what an endpoint missed while it was disabled is sent by time range, once each, and what it has is sent again by id (Events: webhooks) [webhooks-managing]', async () => {
  const { customer, endpoint } = await subscribed('/range');
  const { projectId: project, endpointId: id } = endpoint;
  await world.announce(customer);
  await deliveryWhen(world, endpoint, 'the first arrives', isDelivered);
  await world.change(project, id, { state: 'disabled' });
  await world.announce(customer, 3);
  await appended(customer, 4);
  const enabled = await world.change(project, id, { state: 'enabled' });
  await world.announce(customer);
  await waitFor('both are recorded', async () => {
    const { items } = await world.deliveries(project, id, { state: 'delivered' });
    return items.length === 2;
  });

  const range = await world.redeliver(project, id, { sinceMs: endpoint.createdAtMs });
  const hooks = await arrived('/range', 7);
  const [first] = hooks;
  const one = await world.redeliver(project, id, { eventId: first?.headers['webhook-id'] });
  const again = await arrived('/range', 8);

  expect(enabled).toMatchObject({ state: 'enabled', disabledReason: null });
  expect(range).toEqual({ redelivered: 5, continueSinceMs: null });
  expect(one.redelivered).toBe(1);
  expect(new Set(again.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
  expect(again[7]?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(again[7]?.raw).toEqual(first?.raw);
});

test('an event that never was cannot be sent again, nor one of another Project (Events: webhooks)', async () => {
  const { endpoint } = await subscribed('/unknown');
  const other = await subscribed('/unknown-other');
  await world.announce(other.customer);
  const foreign = await deliveryWhen(world, other.endpoint, 'it arrives', isDelivered);
  const { projectId: project, endpointId: id } = endpoint;

  for (const eventId of [`evt_${systemIdentifiers.uuidV7()}`, foreign.eventId]) {
    await expect(world.redeliver(project, id, { eventId })).rejects.toMatchObject({
      refusal: { code: 'event_not_found' },
    });
  }
});

test('a test reaches an endpoint also where it is disabled, signed, and is tried once (Events: webhooks)', async () => {
  const { endpoint } = await subscribed('/ping');
  const { projectId: project, endpointId: id } = endpoint;
  await world.change(project, id, { state: 'disabled' });
  world.receiver.respondWith(() => ({ status: 500 }));

  const { eventId } = await world.ping(project, id);
  const delivery = await deliveryWhen(world, endpoint, 'it was tried', isFailed);

  const [hook] = world.receiver.of('/ping');
  const headers = hook?.headers as Record<string, string>;
  expect(new Webhook(endpoint.secret).verify(hook?.raw ?? '', headers)).toMatchObject({
    id: eventId,
    type: 'webhook.ping',
    data: { endpoint_id: id },
  });
  expect(delivery).toMatchObject({ eventId, type: 'webhook.ping', attemptsTotal: 1 });
});

test('a suspended Project is sent nothing, and what was appended meanwhile once it is active again (Tenancy)', async () => {
  const customer = newCustomer();
  const { accountId, projectId } = customer;
  world.gateway.withoutEvents.add(projectId);
  const endpoint = await world.create(customer, '/suspended');
  await world.announce(customer, 2);
  await appended(customer, 2);
  await waitFor('the gateway received the lookup', () =>
    world.gateway.requested.includes(projectId),
  );
  const whileSuspended = (await world.deliveries(projectId, endpoint.endpointId)).items;

  world.gateway.withoutEvents.delete(projectId);
  const body = { accountId, projectId, credentialId: null, atMs: Date.now() };
  await world.bus.publish([{ type: 'authority.changed.v1', id: projectId, body }]);
  await arrived('/suspended', 2);

  expect(whileSuspended).toEqual([]);
});

test('a low balance has one event per crossing in the log of each Project with events (Events: account.balance.low) [account-balance-low]', async () => {
  const one = await subscribed('/low-1', { types: ['account.balance.low'] });
  const { accountId } = one.customer;
  const others = [newProjectId(), newProjectId()];
  const projects = [one.customer.projectId, ...others];
  world.gateway.projectsOf.set(accountId, projects);
  const body = {
    accountId,
    threshold: 500,
    available: 499,
    entrySeq: 44,
    atMs: Date.UTC(2026, 10, 21, 10),
  };
  const message = { type: 'billing.balance-low.v1', id: `${accountId}/44`, body } as const;
  const idIn = (projectId: string) =>
    `evt_${uuidV5(accountId.slice(4), `account.balance.low/500/44/${projectId}`)}`;

  await world.bus.publish([message, message]);
  await world.announce(one.customer);
  await arrived('/low-1');
  await waitFor('the repetition is announced in every Project', () => {
    const ids = doorbell.of('project.event-appended.v1').map(({ event }) => event.id);
    return projects.every((id) => ids.filter((found) => found === idIn(id)).length >= 2);
  });
  const logs = await Promise.all(
    others.map((id) => {
      const path = `/projects/${id}/log`;
      return world.client.json(logBatch, { method: 'GET', path, query: { after: 0, limit: 10 } });
    }),
  );

  expect(logs.map(({ items }) => items.map(({ event }) => event.id))).toEqual(
    others.map((id) => [idIn(id)]),
  );
  const hooks = world.receiver.of('/low-1');
  expect(hooks.map(({ raw }) => JSON.parse(raw.toString()))).toEqual([
    {
      id: idIn(one.customer.projectId),
      version: 1,
      type: 'account.balance.low',
      occurred_at: '2026-11-21T10:00:00.000Z',
      project_id: one.customer.projectId,
      environment: 'live',
      data: { available: 499, threshold: 500 },
      links: { account: '/v2/account' },
    },
  ]);
});
