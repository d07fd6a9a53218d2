import { projectEvent } from '@inventory/contracts/http/project-event';
import { writeWebhookSecret } from '@inventory/contracts/http/webhooks';
import { connectMongo } from '@inventory/mongo/connect';
import { isoTime } from '@inventory/runtime/clock';
import { asSent } from '@inventory/testkit/as-sent';
import { newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createRunningClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { Webhook } from 'standardwebhooks';
import { writeRefreshEvent } from '../src/log/project-event.ts';
import { completionOf } from './support/completions.ts';
import {
  deliveryWhen,
  newCustomer,
  openWebhookWorld,
  type WebhookWorld,
} from './support/webhook-world.ts';

let world: WebhookWorld;
const clock = createRunningClock();
/** How long an endpoint without usable secrets is held. */
const holdMs = 5_000;

beforeAll(async () => {
  world = await openWebhookWorld({}, clock);
});
afterAll(() => world.close());

test('a Project has ten endpoints at most, however many are made at once, and a deleted one frees its slot (Events: webhooks) [webhooks-ten-endpoints, webhooks-managing]', async () => {
  const customer = newCustomer();

  const made = await Promise.allSettled(
    Array.from({ length: 25 }, (_none, index) => world.create(customer, `/${index}`)),
  );
  const { items } = await world.list(customer.projectId);
  const [first] = items;
  await world.remove(customer.projectId, first?.endpointId ?? '');
  const after = await world.create(customer, '/after');

  const refused = made.filter((one) => one.status === 'rejected');
  expect(items).toHaveLength(10);
  expect(refused).toHaveLength(15);
  for (const { reason } of refused) {
    expect(reason).toMatchObject({
      refusal: { code: 'webhook_endpoint_limit_reached', detail: { limit: 10 } },
    });
  }
  const ids = (await world.list(customer.projectId)).items.map(({ endpointId }) => endpointId);
  expect(ids).toHaveLength(10);
  expect(ids).toContain(after.endpointId);
});

test('an endpoint that is created with an id and a secret is created once, also at the same time, and also when all slots are taken (Idempotency-Key of secrets) [idempotency-key-of-secrets]', async () => {
  const customer = newCustomer();
  const endpointId = `whe_${newRefreshId()}` as const;
  const secret = writeWebhookSecret(Buffer.alloc(32, 7));
  const create = () => world.create(customer, '/once', { endpointId, secret });

  const made = await Promise.all([create(), create(), create()]);
  for (let slot = 1; slot < 10; slot += 1) await world.create(customer, `/${slot}`);
  const late = await create();

  for (const one of [...made, late]) expect(one).toMatchObject({ endpointId, secret });
  const { items } = await world.list(customer.projectId);
  expect(items.map((one) => one.endpointId).filter((id) => id === endpointId)).toHaveLength(1);
});

test.each(['http://localhost../', 'http://a..b.com/', 'http://127.0.0.1:0/', 'http://127.0.0.1/#'])(
  'an endpoint is neither made at %s nor moved to it (Events: webhooks)',
  async (url) => {
    const customer = newCustomer();
    const made = await world.create(customer);
    const refused = {
      refusal: { code: 'invalid_request', detail: { issues: [{ in: 'body', field: 'url' }] } },
    };

    await expect(world.create(customer, '', { url })).rejects.toMatchObject(refused);
    await expect(world.change(customer.projectId, made.endpointId, { url })).rejects.toMatchObject(
      refused,
    );

    const { items } = await world.list(customer.projectId);
    expect(items.map((item) => item.url)).toEqual([made.url]);
  },
);

test('during a rotation both secrets sign, afterwards only the new one (Events: webhooks) [webhooks-managing]', async () => {
  const customer = newCustomer();
  const old = await world.create(customer, '/rotate');
  const { projectId: project, endpointId: id } = old;

  const between = await world.rotate(project, id, { overlapSeconds: 3_600 });
  await world.ping(project, id);
  const [both] = await arrived('/rotate', 1);
  const last = await world.rotate(project, id, { overlapSeconds: 0, force: true });
  await world.ping(project, id);
  const [, alone] = await arrived('/rotate', 2);

  for (const { secret } of [old, between]) expect(verifies(secret, both)).toBe(true);
  expect(verifies(last.secret, alone)).toBe(true);
  for (const { secret } of [old, between]) expect(verifies(secret, alone)).toBe(false);
  expect(between.secrets.map(({ endsAtMs }) => endsAtMs === null)).toEqual([true, false]);
});

/** The names and types of what it has, at any depth. */
function membersOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, membersOf(one)]));
}

test('a sample has the members of an event, is marked, and goes signed to each endpoint that is enabled and subscribes to its type, and to no other; its deliveries are found by event (Watches: test) [watches]', async () => {
  const customer = newCustomer();
  const { projectId } = customer;
  const endpoint = await world.create(customer, '/sample');
  await world.create(customer, '/low', { types: ['account.balance.low'] });
  const disabled = await world.create(customer, '/off');
  await world.change(projectId, disabled.endpointId, { state: 'disabled' });

  const sent = await world.sendSample(projectId);
  const [sample] = await arrived('/sample', 1);

  expect(sent.endpoints).toEqual([endpoint.endpointId]);
  expect(verifies(endpoint.secret, sample)).toBe(true);
  const event = asSent(projectEvent, JSON.parse(sample?.raw.toString() ?? ''));
  expect(event).toMatchObject({ id: sent.eventId, project_id: projectId, data: { test: true } });
  const changed = completionOf(projectId, {
    outcome: 'complete_changed',
    watchId: `wat_${newRefreshId()}`,
    revisionId: `invrev_${newRefreshId()}`,
    previousRevisionId: `invrev_${newRefreshId()}`,
  });
  const real = asSent(projectEvent, JSON.parse(writeRefreshEvent(changed).json));
  expect(membersOf(event)).toEqual(membersOf({ ...real, data: { ...real.data, test: true } }));
  await deliveryWhen(world, endpoint, 'it is delivered', ({ state }) => state === 'delivered');
  const of = async (owner: string) => (await world.eventDeliveries(owner, [sent.eventId])).items;
  expect(await of(projectId)).toEqual([
    { eventId: sent.eventId, endpointId: endpoint.endpointId, state: 'delivered' },
  ]);
  expect(await of(newCustomer().projectId)).toEqual([]);
  expect((await world.sendSample(newCustomer().projectId)).endpoints).toEqual([]);
});

test('a rotation that is repeated under its Idempotency-Key, also at the same time, has the same secret; other inputs are refused (Events: webhooks) [idempotency-key]', async () => {
  const {
    projectId: project,
    endpointId: id,
    secret,
  } = await world.create(newCustomer(), '/keyed');
  const keyed = { overlapSeconds: 3_600, idempotencyKey: 'once' };

  const responses = await Promise.all(
    Array.from({ length: 5 }, () => world.rotate(project, id, keyed)),
  );
  const later = await world.rotate(project, id, keyed);
  await world.ping(project, id);
  const [hook] = await arrived('/keyed', 1);
  const stored = await storedEndpoints(project);

  const [made] = responses;
  expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(new Set(responses.map((response) => response.secret)).size).toBe(1);
  expect(later).toEqual({ ...made, replayed: true });
  for (const signing of [secret, later.secret]) expect(verifies(signing, hook)).toBe(true);
  expect(stored).toContain('"idempotencyKey":"once"');
  for (const shown of [secret, later.secret]) expect(stored).not.toContain(shown.slice(6));
  await expect(world.rotate(project, id, { ...keyed, overlapSeconds: 1 })).rejects.toMatchObject({
    refusal: { code: 'idempotency_conflict' },
  });
});

test('a second rotation while two secrets sign is refused unless it is forced (Events: webhooks)', async () => {
  const { projectId: project, endpointId: id } = await world.create(newCustomer(), '/twice');
  const first = await world.rotate(project, id, { overlapSeconds: 3_600 });

  await expect(world.rotate(project, id)).rejects.toMatchObject({
    refusal: {
      code: 'secret_rotation_in_progress',
      detail: { ends_at: isoTime(first.secrets[1]?.endsAtMs ?? 0) },
    },
  });
  const unchanged = await world.read(project, id);
  const forced = await world.rotate(project, id, { force: true });

  expect(unchanged.secrets).toEqual(first.secrets);
  expect(forced.secrets).toHaveLength(2);
  expect(forced.secret).not.toBe(first.secret);
});

async function storedEndpoints(projectId: string): Promise<string> {
  const mongo = await connectMongo({
    ...world.config.mongodb,
    service: 'test',
    logger: testLogger,
  });
  const stored = await mongo.db.collection('webhookEndpoints').find({ projectId }).toArray();
  await mongo.close();
  return JSON.stringify(stored);
}

const arrived = (path: string, times: number) =>
  waitFor(`${times} requests reach ${path}`, () => {
    const hooks = world.receiver.of(path);
    return hooks.length >= times && hooks;
  });

function verifies(secret: string, hook: { raw: Buffer; headers: object } | undefined): boolean {
  try {
    new Webhook(secret).verify(hook?.raw ?? '', hook?.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

test('no stored document and no later response contains a secret (Events: webhooks)', async () => {
  const customer = newCustomer();
  const { secret, projectId, endpointId } = await world.create(customer, '/sealed');

  const stored = await storedEndpoints(projectId);
  const read = await world.read(projectId, endpointId);

  expect(stored).toContain(endpointId);
  expect(stored + JSON.stringify(read)).not.toContain(secret.slice(6));
});

test('an endpoint whose secrets do not decrypt delays no other, is sent nothing unsigned, and resumes after a rotation (Events: webhooks)', async () => {
  const [customer, other] = [newCustomer(), newCustomer()];
  const lost = await world.create(customer, '/lost-key');
  await world.create(other, '/kept-key');
  const mongo = await connectMongo({
    ...world.config.mongodb,
    service: 'test',
    logger: testLogger,
  });
  await mongo.db
    .collection('webhookEndpoints')
    .updateOne({ endpointId: lost.endpointId }, { $set: { 'secrets.0.sealed': 'AAAA' } });
  await mongo.close();

  await world.announce(customer);
  await deliveryWhen(world, lost, 'its delivery waits', ({ state }) => state === 'pending');
  await world.announce(other);
  await arrived('/kept-key', 1);
  const unsigned = world.receiver.of('/lost-key').length;
  const { secret } = await world.rotate(lost.projectId, lost.endpointId);
  clock.advance(holdMs);
  const [hook] = await arrived('/lost-key', 1);

  expect(unsigned).toBe(0);
  expect(verifies(secret, hook)).toBe(true);
});

test('an endpoint is found under its own Project only, and a deleted one not at all (Events: webhooks) [projects-are-apart]', async () => {
  const customer = newCustomer();
  const { endpointId: id } = await world.create(customer, '/own');
  const other = newCustomer();
  await world.create(other, '/other');
  const notFound = { refusal: { code: 'webhook_endpoint_not_found' } };

  for (const request of [
    () => world.read(other.projectId, id),
    () => world.change(other.projectId, id, { state: 'disabled' }),
    () => world.rotate(other.projectId, id),
    () => world.ping(other.projectId, id),
    () => world.deliveries(other.projectId, id),
    () => world.remove(other.projectId, id),
  ]) {
    await expect(request()).rejects.toMatchObject(notFound);
  }
  await world.remove(customer.projectId, id);
  await expect(world.read(customer.projectId, id)).rejects.toMatchObject(notFound);
});

test('a change keeps what it does not name, and a bad one changes nothing (Events: webhooks)', async () => {
  const customer = newCustomer();
  const made = await world.create(customer, '/change', { description: 'first' });
  const { projectId: project, endpointId: id } = made;

  const changed = await world.change(project, id, { description: null });
  for (const bad of [{}, { url: 'ftp://x/' }, { types: [] }, { secret: 'mine' }]) {
    await expect(world.change(project, id, bad)).rejects.toMatchObject({
      refusal: { code: 'invalid_request' },
    });
  }

  const { secret: _secret, ...before } = made;
  const { changedAtMs } = changed;
  expect(changed).toEqual({ ...before, description: null, changedAtMs });
  expect(await world.read(project, id)).toEqual(changed);
});

test('an endpoint that is failed is disabled as one that failed for five days, is sent nothing, and is enabled as any other (Sandbox: state verbs) [sandbox]', async () => {
  const customer = newCustomer();
  const { projectId } = customer;
  const { endpointId } = await world.create(customer, '/failed');

  const failed = [await world.fail(projectId, endpointId), await world.fail(projectId, endpointId)];
  await world.announce(customer);
  const enabled = await world.change(projectId, endpointId, { state: 'enabled' });

  for (const { state, disabledReason, failingSinceMs } of failed) {
    expect([state, disabledReason]).toEqual(['disabled', 'failing']);
    expect(clock.now() - Number(failingSinceMs)).toBeGreaterThanOrEqual(5 * 24 * 3_600_000);
  }
  expect(enabled).toMatchObject({ state: 'enabled', failingSinceMs: null });
  const sent = await world.sendSample(projectId);
  const [first] = await arrived('/failed', 1);
  expect(JSON.parse(String(first?.raw)).id).toBe(sent.eventId);
});
