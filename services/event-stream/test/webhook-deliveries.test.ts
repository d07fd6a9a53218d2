import { logBatch } from '@inventory/contracts/internal/event-log';
import { connectMongo } from '@inventory/mongo/connect';
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
beforeEach(() => world.receiver.answerWith(() => ({ status: 204 })));

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
    return rung.some(({ project_id, position }) => project_id === projectId && position >= times);
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
    id: delivery.event_id,
    type: 'inventory.refresh.completed',
    project_id: customer.projectId,
    data: { refresh_id: refreshId, state: 'completed', outcome: 'private' },
  });
  expect(hook?.headers['webhook-id']).toBe(delivery.event_id);
  expect(hook?.headers['content-type']).toBe('application/json');
  expect(delivery).toMatchObject({
    next_attempt_at: null,
    failure: null,
    attempts_total: 1,
    attempts: [{ status: 204, error: null }],
  });
  expect(world.receiver.of('/once')).toHaveLength(1);
});

test('an event of a type that a later version appended reaches endpoint and log page byte for byte (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/later-type');
  const { project_id, endpoint_id } = endpoint;
  const id = `evt_${systemIdentifiers.uuidV7()}` as const;
  const type = 'inventory.later.type';
  const json =
    `{"10":{},"zulu":1,"type":"${type}","id":"${id}","project_id":"${project_id}","version":7,` +
    '"data":{"b":[{"y":1e+21,"a":"\\u001f"}],"a":null},' +
    '"occurred_at":"2026-11-21T10:00:00.000Z","links":{}}';
  const mongo = await connectMongo({
    ...world.config.mongodb,
    service: 'test',
    logger: testLogger,
  });
  await mongo.db.collection('webhookEndpoints').updateOne({ id: endpoint_id }, {
    $push: { types: type },
    $inc: { version: 1 },
  } as object);

  await openLogCollections(mongo.db).log.insertOne({
    _id: `${project_id}/000000000001`,
    ...{ projectId: customer.projectId, accountId: customer.accountId, position: 1 },
    event: { id, type, occurred_at: '2026-11-21T10:00:00.000Z', refresh_id: null, json },
    appendedAt: new Date(),
  });
  await mongo.close();
  // A change gives the endpoint a turn, as the append does.
  await world.change(project_id, endpoint_id, { description: 'of a later type' });
  const [hook] = await arrived('/later-type');
  const delivery = await deliveryWhen(world, endpoint, 'it is recorded', isDelivered);
  const path = `/projects/${project_id}/log`;
  const query = { after: 0, limit: 5 };
  const page = await world.client.json(logBatch, { method: 'GET', path, query });

  expect(hook?.raw.toString()).toBe(json);
  expect(page.items.map(({ event }) => event.json)).toEqual([json]);
  expect(delivery).toMatchObject({ event_id: id, type });
  expect((await world.read(project_id, endpoint_id)).types).toContain(type);
});

test('a failed delivery is tried again with the same id and the same bytes until it succeeds (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/again');
  let failures = 0;
  world.receiver.answerWith(() => ({ status: failures++ < 2 ? 500 : 200 }));

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
  expect(await world.read(customer.projectId, endpoint.endpoint_id)).toMatchObject({
    state: 'enabled',
    failing_since: null,
  });
});

test('a redirect is a failure and is not followed (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/moved');
  const location = `${world.receiver.url}/elsewhere`;
  world.receiver.answerWith(() => ({ status: 307, headers: { location } }));

  await world.announce(customer);
  const delivery = await deliveryWhen(world, endpoint, 'it has failed', isFailed);

  expect(delivery).toMatchObject({ failure: 'attempts_exhausted', attempts_total: 4 });
  expect(delivery.attempts[0]).toMatchObject({ status: 307, error: 'redirect' });
  expect(world.receiver.of('/elsewhere')).toEqual([]);
});

test('a 410 response disables the endpoint at once, with the reason (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/gone');
  world.receiver.answerWith(() => ({ status: 410 }));

  await world.announce(customer);
  const disabled = await waitFor('the endpoint is disabled', async () => {
    const found = await world.read(customer.projectId, endpoint.endpoint_id);
    return found.state === 'disabled' && found;
  });
  // It may be ended, with its endpoint, before its attempt is recorded.
  const delivery = await deliveryWhen(
    world,
    endpoint,
    'its attempt is recorded',
    (one) => isFailed(one) && one.attempts_total > 0,
  );

  expect(disabled.disabled_reason).toBe('gone');
  expect(delivery).toMatchObject({ failure: 'endpoint_disabled', attempts_total: 1 });
});

test('each attempt shows the first KiB of its response, without secrets of the endpoint (Events: webhooks) [webhooks-managing]', async () => {
  const { customer, endpoint } = await subscribed('/shown');
  const long = `${'x'.repeat(2_000)}`;
  let failures = 0;
  world.receiver.answerWith(() =>
    failures++ < 1
      ? { status: 500, body: `secret ${endpoint.secret}: ${long}` }
      : { status: 200, body: 'thanks' },
  );

  await world.announce(customer);
  const delivery = await deliveryWhen(world, endpoint, 'it succeeds', isDelivered);

  const start = 'secret [secret]: ';
  expect(delivery.attempts.map(({ response_body }) => response_body)).toEqual([
    `${start}${'x'.repeat(1_024 - start.length)}`,
    'thanks',
  ]);
});

test('deliveries are listed by state and time of creation, page by page (Events: webhooks) [webhooks-managing]', async () => {
  const { customer, endpoint } = await subscribed('/listed');
  const { project_id: project, endpoint_id: id } = endpoint;
  await world.announce(customer, 3);
  const all = await waitFor('all are delivered', async () => {
    const { items } = await world.deliveries(project, id, { state: 'delivered' });
    return items.length === 3 && items;
  });
  await world.change(project, id, { state: 'disabled' });
  const { event_id } = await world.ping(project, id);
  await deliveryWhen(world, endpoint, 'the test arrives', (one) => one.event_id === event_id);
  const from = all[2]?.created_at ?? '';
  const list = async (query: Record<string, string>) =>
    (await world.deliveries(project, id, query)).items.map((item) => item.event_id);
  const ids = all.map((item) => item.event_id);

  const paged: string[] = [];
  for (let before: string | null = ''; before !== null; ) {
    const query = { state: 'delivered', from, limit: 2, ...(before && { before }) };
    const page = await world.deliveries(project, id, query);
    paged.push(...page.items.map((item) => item.event_id));
    before = page.next_before;
  }

  expect(paged.filter((one) => one !== event_id)).toEqual(ids);
  expect(await list({ to: from })).toEqual([]);
  expect(await list({ from: '2100-01-01T00:00:00.000Z' })).toEqual([]);
  expect(await list({ from: endpoint.created_at, to: '2100-01-01T00:00:00.000Z' })).toEqual(
    expect.arrayContaining([...ids, event_id]),
  );
  expect(await list({ state: 'failed', from })).toEqual([]);
});

test('Retry-After delays the next attempt (Events: webhooks)', async () => {
  const { customer, endpoint } = await subscribed('/later');
  world.receiver.answerWith(() => ({ status: 503, headers: { 'retry-after': '3600' } }));

  await world.announce(customer);
  const tried = (one: { attempts_total: number }) => one.attempts_total > 0;
  const delivery = await deliveryWhen(world, endpoint, 'it was tried', tried);

  const waitMs =
    Date.parse(delivery.next_attempt_at ?? '') - Date.parse(delivery.attempts[0]?.at ?? '');
  expect(waitMs).toBe(3_600_000);
});

test('what an endpoint missed while it was disabled is sent by time range, once each, and what it has is sent again by id (Events: webhooks) [webhooks-managing]', async () => {
  const { customer, endpoint } = await subscribed('/range');
  const { project_id: project, endpoint_id: id } = endpoint;
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

  const range = await world.redeliver(project, id, { since: endpoint.created_at });
  const hooks = await arrived('/range', 7);
  const [first] = hooks;
  const one = await world.redeliver(project, id, { event_id: first?.headers['webhook-id'] });
  const again = await arrived('/range', 8);

  expect(enabled).toMatchObject({ state: 'enabled', disabled_reason: null });
  expect(range).toEqual({ redelivered: 5, continue_since: null });
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
  const { project_id: project, endpoint_id: id } = endpoint;

  for (const event_id of [`evt_${systemIdentifiers.uuidV7()}`, foreign.event_id]) {
    await expect(world.redeliver(project, id, { event_id })).rejects.toMatchObject({
      refusal: { code: 'event_not_found' },
    });
  }
});

test('a test reaches an endpoint also where it is disabled, signed, and is tried once (Events: webhooks)', async () => {
  const { endpoint } = await subscribed('/ping');
  const { project_id: project, endpoint_id: id } = endpoint;
  await world.change(project, id, { state: 'disabled' });
  world.receiver.answerWith(() => ({ status: 500 }));

  const { event_id } = await world.ping(project, id);
  const delivery = await deliveryWhen(world, endpoint, 'it was tried', isFailed);

  const [hook] = world.receiver.of('/ping');
  const headers = hook?.headers as Record<string, string>;
  expect(new Webhook(endpoint.secret).verify(hook?.raw ?? '', headers)).toMatchObject({
    id: event_id,
    type: 'webhook.ping',
    data: { endpoint_id: id },
  });
  expect(delivery).toMatchObject({ event_id, type: 'webhook.ping', attempts_total: 1 });
});

test('a suspended Project is sent nothing, and what was appended meanwhile once it is active again (Tenancy)', async () => {
  const customer = newCustomer();
  const { accountId: account_id, projectId: project_id } = customer;
  world.gateway.withoutEvents.add(project_id);
  const endpoint = await world.create(customer, '/suspended');
  await world.announce(customer, 2);
  await appended(customer, 2);
  await waitFor('the gateway received the lookup', () => world.gateway.asked.includes(project_id));
  const whileSuspended = (await world.deliveries(project_id, endpoint.endpoint_id)).items;

  world.gateway.withoutEvents.delete(project_id);
  const at = new Date().toISOString();
  const body = { account_id, project_id, credential_id: null, at };
  await world.bus.publish([{ type: 'authority.changed.v1', id: project_id, body }]);
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
      data: { available: 499, threshold: 500 },
      links: { account: '/v2/account' },
    },
  ]);
});
