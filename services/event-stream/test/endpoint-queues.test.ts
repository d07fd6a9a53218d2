import { randomBytes } from 'node:crypto';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createTextSealer } from '@inventory/runtime/text-sealer';
import { newAccountId } from '@inventory/testkit/builders';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import type { KeptEntry } from '../src/log/project-log-store.ts';
import { createDeliveryEnding } from '../src/operations/end-deliveries.ts';
import { createHeldAccounts } from '../src/operations/hold-accounts.ts';
import { type PrepareDeps, prepareDeliveries } from '../src/operations/prepare-deliveries.ts';
import { createAccountLeases } from '../src/storage/account-leases.ts';
import { createEndpointQueues, type EndpointQueues } from '../src/storage/endpoint-queues.ts';
import { createDeliveryStore, type DeliveryStore } from '../src/webhooks/delivery-store.ts';
import { healthy } from '../src/webhooks/endpoint-health.domain.ts';
import { createEndpointStore, type EndpointStore } from '../src/webhooks/endpoint-store.ts';
import {
  openAccountLeaseCollection,
  openDeliveryCollection,
  openEndpointCollection,
} from '../src/webhooks/webhook-document.ts';
import type { WebhookEndpoint } from '../src/webhooks/webhook-endpoint.domain.ts';
import { endpointWith, insertsAll } from './support/endpoints.ts';

const startMs = Date.UTC(2027, 0, 1);
const never = new AbortController().signal;
let client: MongoClient;
let endpoints: EndpointStore;
let queues: EndpointQueues;
let deliveries: DeliveryStore;
const commands: CommandStartedEvent[] = [];
const openLeases = () => createAccountLeases(openAccountLeaseCollection(client.db(database)));
let database: string;

beforeAll(async () => {
  const namespace = await openNamespace({ topics: false });
  database = namespace.database('queues');
  client = new MongoClient(namespace.mongodbUri, { monitorCommands: true });
  client.on('commandStarted', (event) => commands.push(event));
  await client.connect();
  const db = client.db(database);
  const sealer = createTextSealer([randomBytes(32).toString('base64url')]);
  endpoints = createEndpointStore(openEndpointCollection(db), sealer, testLogger);
  queues = createEndpointQueues(openEndpointCollection(db), sealer, testLogger);
  deliveries = createDeliveryStore(openDeliveryCollection(db), testLogger);
});
afterAll(() => client.close());

async function newEndpoint(): Promise<WebhookEndpoint> {
  const endpoint: WebhookEndpoint = endpointWith({
    secrets: [{ secret: 'whsec_AAAA', createdAtMs: startMs, endsAtMs: null }],
    createdAtMs: startMs,
    changedAtMs: startMs,
  });
  await endpoints.insertEndpoint(endpoint, 10);
  return endpoint;
}

function insertDeliveries({ id: endpointId, projectId }: WebhookEndpoint, count: number) {
  const wanted = Array.from({ length: count }, () => ({
    ...{ endpointId, projectId, body: '{}', appendedAtMs: startMs },
    eventId: `evt_${systemIdentifiers.uuidV7()}` as const,
    type: 'inventory.refresh.completed' as const,
  }));
  return deliveries.insertMissing(wanted, startMs);
}

async function queueOf({ id }: WebhookEndpoint) {
  const [queue] = await queues.readQueues([id]);
  if (!queue) throw new Error('no such endpoint');
  return queue;
}

const dueIds = async (nowMs: number) =>
  (await queues.listDueQueues(0, nowMs, 1_000)).map(({ endpointId }) => endpointId);

test('due queues are listed by one query over endpoints, whatever their backlogs, and a pause is one write (architecture: everything is bounded)', async () => {
  const [due, paused, idle] = [await newEndpoint(), await newEndpoint(), await newEndpoint()];
  for (const endpoint of [due, paused]) {
    await insertDeliveries(endpoint, 500);
    await endpoints.advancePosition(endpoint, 501, startMs);
  }
  commands.splice(0);
  const pausedUntilMs = startMs + 60_000;
  await endpoints.updateEndpoint(paused, { health: { ...healthy, failures: 5, pausedUntilMs } });
  expect(commands.map(({ commandName }) => commandName)).toEqual(['update']);
  commands.splice(0);

  const found = await dueIds(startMs);

  expect(found).toContain(due.id);
  expect(found).not.toContain(paused.id);
  expect(found).not.toContain(idle.id);
  expect(commands.map(({ commandName, command }) => [commandName, command.find])).toEqual([
    ['find', 'webhookEndpoints'],
  ]);
  expect(await dueIds(pausedUntilMs)).toContain(paused.id);
});

test('endpoints that are read or advanced together share a command, and one that changed since it was read does not advance (architecture: everything is bounded)', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, newEndpoint));
  const [changed] = all;
  if (!changed) throw new Error('there are endpoints');
  await endpoints.updateEndpoint(changed, { description: 'changed' });
  commands.splice(0);

  const read = await Promise.all(all.map(queueOf));
  const advanced = await Promise.all(
    all.map((one) => endpoints.advancePosition(one, one.nextPosition + 5, null)),
  );

  expect(read.map(({ endpoint }) => endpoint.id)).toEqual(all.map(({ id }) => id));
  expect(advanced).toEqual(all.map((one) => one !== changed));
  // The last one decides which of the positions advanced.
  expect(commands.map(({ commandName }) => commandName)).toEqual(['find', 'update', 'find']);
  const positions = (await Promise.all(all.map(queueOf))).map(
    ({ endpoint }) => endpoint.nextPosition,
  );
  expect(positions).toEqual(all.map((one) => one.nextPosition + (one === changed ? 0 : 5)));
});

test('deliveries that are looked up together share a read, and each endpoint gets its own (Events: webhooks)', async () => {
  const [one, other] = [await newEndpoint(), await newEndpoint()];
  await insertDeliveries(one, 3);
  const eventIds = (await deliveries.listDeliveries(one.id, { limit: 10 })).map(
    ({ delivery }) => delivery.eventId,
  );
  commands.splice(0);

  const found = await Promise.all(
    [one, other].map(({ id }) => deliveries.listExisting(id, eventIds)),
  );

  expect(found).toEqual([new Set(eventIds), new Set()]);
  expect(commands).toHaveLength(1);
});

test('a queue to which a delivery was added since it was read is not moved (Events: webhooks)', async () => {
  const endpoint = await newEndpoint();
  await queues.enqueue([endpoint.id], startMs);
  const read = await queueOf(endpoint);
  await queues.enqueue([endpoint.id], startMs);

  expect(await queues.postpone(read, null)).toBe(false);
  expect(await dueIds(startMs)).toContain(endpoint.id);
  expect(await queues.postpone(await queueOf(endpoint), null)).toBe(true);
  expect(await dueIds(startMs + 1e9)).not.toContain(endpoint.id);
});

test('the poll of a log makes the queue of its endpoint due, so that none is lost in a crash (Events: webhooks)', async () => {
  const endpoint = await newEndpoint();
  expect(await dueIds(startMs)).not.toContain(endpoint.id);

  await endpoints.claimForReading(startMs, startMs + 1_000, 1_000);

  expect(await dueIds(startMs)).toContain(endpoint.id);
});

/** An entry of the endpoint's log. */
function entryOf({ projectId }: WebhookEndpoint, position: number): KeptEntry {
  const eventId = `evt_${systemIdentifiers.uuidV7()}` as const;
  const entry = { eventId, type: 'account.balance.low', json: '{}', appendedAtMs: startMs };
  return { projectId, logEpoch: 1, position, ...entry };
}

test.each(['listed', 'inserted'] as const)(
  'a type that is added after the events of a page were %s misses none of them: the position advances by version (Events: webhooks)',
  async (step) => {
    const endpoint = await newEndpoint();
    const entries = [entryOf(endpoint, 1), entryOf(endpoint, 2)];
    let left = 1;
    const changeAfter = async (done: typeof step) => {
      if (done !== step || left === 0) return;
      left -= 1;
      await endpoints.updateEndpoint(endpoint, { types: ['account.balance.low'] });
    };
    const deps: PrepareDeps = {
      ...{ endpoints, clock: createTestClock(startMs) },
      log: {
        recentAfter: () => [],
        async listAfter(_projectId, position) {
          await changeAfter('listed');
          return entries.filter((entry) => entry.position > position);
        },
      },
      deliveries: {
        async insertMissing(...wanted) {
          const inserted = await deliveries.insertMissing(...wanted);
          await changeAfter('inserted');
          return inserted;
        },
        listExisting: deliveries.listExisting,
      },
      sending: insertsAll,
      wake() {},
      onMore() {},
      eventAccess: { mayHaveEvents: async () => true },
    };

    await prepareDeliveries(deps, endpoint, never);

    const due = await deliveries.listDue(endpoint.id, startMs, 10);
    expect(due.map(({ eventId }) => eventId).sort()).toEqual(
      entries.map(({ eventId }) => eventId).sort(),
    );
    const { endpoint: advanced } = await queueOf(endpoint);
    expect([advanced.nextPosition, advanced.version]).toEqual([3, 2]);
  },
);

test('the deliveries of a disabled endpoint are ended in parts, and those left when it is enabled stay (architecture: everything is bounded)', async () => {
  const clock = createTestClock(startMs);
  const [disabled, enabled] = [await newEndpoint(), await newEndpoint()];
  await insertDeliveries(disabled, 1_200);
  await insertDeliveries(enabled, 3);
  await endpoints.updateEndpoint(disabled, { state: 'disabled', disabledReason: 'requested' });
  let parts = 0;
  const counted: Pick<
    DeliveryStore,
    'findPendingEndpoint' | 'failOfEndpoint' | 'removeOfEndpoint'
  > = {
    ...deliveries,
    async failOfEndpoint(...part) {
      parts += 1;
      return deliveries.failOfEndpoint(...part);
    },
  };
  const ending = createDeliveryEnding({ deliveries: counted, queues, clock, sweepEveryMs: 1_000 });

  await ending.endStopped(never);
  const pending = (id: WebhookEndpoint['id']) => deliveries.listDue(id, startMs, 10);

  expect(parts).toBe(3);
  expect([(await pending(disabled.id)).length, (await pending(enabled.id)).length]).toEqual([0, 3]);
});

test('corrupt deliveries and polls that are due first take no place among others (decisions/0013)', async () => {
  const endpoint = await newEndpoint();
  await insertDeliveries(endpoint, 3);
  const db = client.db(database);
  const stored = openDeliveryCollection(db);
  const [first, second, third] = await stored.find({ endpointId: endpoint.id }).toArray();
  const head = { nextAttemptAt: new Date(startMs - 1), place: null } as object;
  const ids = [first, second].flatMap((one) => one?._id ?? []);
  await stored.updateMany({ _id: { $in: ids } }, { $set: head });
  const polled = await newEndpoint();
  const set = (id: string, fields: object) =>
    openEndpointCollection(db).updateOne({ endpointId: id as never }, { $set: fields });
  await set(endpoint.id, { nextReadAt: new Date(startMs - 2), queueVersion: 'new' });
  await set(polled.id, { nextReadAt: new Date(startMs - 1) });

  const due = await deliveries.listDue(endpoint.id, startMs, 1);
  const polls = await endpoints.claimForReading(startMs, startMs + 1_000, 1);

  expect(due.map(({ eventId }) => eventId)).toEqual([third?.eventId]);
  expect(polls.map(({ id }) => id)).toEqual([polled.id]);
});

test('the deliveries of a corrupt endpoint are kept until it is repaired (decisions/0013)', async () => {
  const endpoint = await newEndpoint();
  await insertDeliveries(endpoint, 2);
  const collection = openEndpointCollection(client.db(database));
  const url = null as unknown as string;
  await collection.updateOne({ endpointId: endpoint.id }, { $set: { url } });
  const clock = createTestClock(startMs);
  const ending = createDeliveryEnding({ deliveries, queues, clock, sweepEveryMs: 1_000 });

  ending.notify(endpoint.id);
  await ending.endStopped(never);

  expect(await deliveries.listDue(endpoint.id, startMs, 10)).toHaveLength(2);
});

test('the deliveries of a deleted endpoint are removed by the sweep (Events: webhooks)', async () => {
  const endpoint = await newEndpoint();
  await insertDeliveries(endpoint, 4);
  await endpoints.removeEndpoint(endpoint.projectId, endpoint.id);
  const clock = createTestClock(startMs);

  await createDeliveryEnding({ deliveries, queues, clock, sweepEveryMs: 1_000 }).endStopped(never);

  expect(await deliveries.listDeliveries(endpoint.id, { limit: 10 })).toEqual([]);
});

function openHeld(owner: string, clock = createTestClock(startMs)) {
  const held = createHeldAccounts({ leases: openLeases(), clock, owner, requestMs: 16_000 });
  return { held, clock };
}

test('an account is held by one replica until it is idle there, or lost (Events: webhooks)', async () => {
  const account = newAccountId();
  const { held: first, clock } = openHeld('first');
  const { held: second } = openHeld('second', clock);
  const holds = async (held: typeof first) => (await held.acquire([account])).has(account);

  expect([await holds(first), await holds(second)]).toEqual([true, false]);
  // Renewed while requests are in flight.
  for (let seconds = 0; seconds < 60; seconds += 5) {
    clock.advance(5_000);
    await first.maintain(() => true);
    expect(await holds(second)).toBe(false);
  }
  clock.advance(2_000);
  await first.maintain(() => false);
  clock.advance(2_000);
  await second.maintain(() => false);
  expect([await holds(second), await holds(first)]).toEqual([true, false]);

  // The second replica is lost: its lease ends.
  clock.advance(32_000);
  await first.maintain(() => false);
  expect(await holds(first)).toBe(true);
});

test('a replica that cannot renew starts no request that could outlive its lease (Events: webhooks)', async () => {
  const account = newAccountId();
  const { held, clock } = openHeld('unable');

  expect((await held.acquire([account])).has(account)).toBe(true);
  clock.advance(10_001);

  expect((await held.acquire([account])).has(account)).toBe(false);
});
