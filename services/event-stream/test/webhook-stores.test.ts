import { randomBytes } from 'node:crypto';
import type { WebhookEndpointId } from '@inventory/contracts/ids';
import type { MongoConnection } from '@inventory/mongo/connect';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createTextSealer } from '@inventory/runtime/text-sealer';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { asAnotherServer, asForgetful } from '@inventory/testkit/replica-set';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openTestStore } from '@inventory/testkit/test-store';
import type { Pending } from '@inventory/work/work-queue';
import { createDeliveryStore } from '../src/webhooks/delivery-store.ts';
import { createEndpointStore } from '../src/webhooks/endpoint-store.ts';
import { createEndpoint } from '../src/webhooks/manage-endpoints.ts';
import type { Webhooks } from '../src/webhooks/open-webhooks.ts';
import { redeliverRange } from '../src/webhooks/redeliver.ts';
import { serveEndpoint } from '../src/webhooks/serve-endpoint.ts';
import {
  type DueEndpoint,
  openWebhookCollections,
  type WebhookDelivery,
  type WebhookEndpoint,
  webhookIndexes,
} from '../src/webhooks/webhook-document.ts';
import { endpointWith } from './support/endpoints.ts';

const type = 'inventory.refresh.completed' as const;
const sealer = createTextSealer([randomBytes(32).toString('base64url')]);
const clock = createTestClock(1_000_000_000);
const perMinute = 100;
let mongo: MongoConnection;
let treat = asAnotherServer;

beforeAll(async () => {
  mongo = await openTestStore('webhook_stores', webhookIndexes, (command) => treat(command));
});
afterEach(() => {
  treat = asAnotherServer;
});
afterAll(() => mongo.close());

function stores() {
  const collections = openWebhookCollections(mongo.db);
  const deliveries = createDeliveryStore(collections.deliveries, testLogger);
  return {
    collections,
    deliveries,
    endpoints: createEndpointStore(collections.endpoints, sealer, testLogger),
  };
}

/** Its first run has ended. */
async function newEndpoint(overrides: Partial<WebhookEndpoint> = {}): Promise<WebhookEndpoint> {
  const endpoint = endpointWith(overrides);
  const { endpoints, collections } = stores();
  await endpoints.insertEndpoint(endpoint, 10);
  await collections.endpoints.updateOne(
    { endpointId: endpoint.endpointId },
    { $unset: { work: '' } },
  );
  return endpoint;
}

test('a range that the log keeps no more is sent again in parts, each event in one of them (Events: webhooks)', async () => {
  const collection = openWebhookCollections(mongo.db).deliveries;
  const endpointId = 'whe_1';
  const count = 10_150;
  const documents = Array.from({ length: count }, (_, at) => ({
    _id: `${endpointId}/${at}`,
    endpointId,
    state: at % 3 === 0 ? 'failed' : 'delivered',
    appendedAtMs: Math.floor(at / perMinute) * 60_000,
    nextAttemptAtMs: null,
    failures: 1,
  }));
  await collection.insertMany(documents as never[]);
  const endpoint = {
    endpointId,
    accountId: newAccountId(),
    projectId: newProjectId(),
    types: [],
    nextPosition: 0,
  } as unknown as WebhookEndpoint;
  const webhooks = only<Webhooks>({
    log: only({ listBetween: async () => [], findAppendedAfter: async () => null }),
    deliveries: createDeliveryStore(collection, testLogger),
    clock,
    wake: async () => undefined,
  });

  const whole = { sinceMs: 0, untilMs: clock.now() };
  const first = await redeliverRange(webhooks, endpoint, whole);
  const continueSinceMs = first.continueSinceMs ?? Number.NaN;
  const second = await redeliverRange(webhooks, endpoint, { ...whole, sinceMs: continueSinceMs });

  expect(first).toEqual({ redelivered: 10_000, continueSinceMs: 100 * 60_000 });
  expect(second).toEqual({ redelivered: 150, continueSinceMs: null });
  expect(await collection.countDocuments({ state: 'pending' })).toBe(count);
});

test('deliveries are due from their time on, later ones are retrying, ended ones are neither', async () => {
  const collection = openWebhookCollections(mongo.db).deliveries;
  await collection.deleteMany({});
  const count = () => createDeliveryStore(collection, testLogger).countBacklog(clock.now());
  expect(await count()).toEqual({ due: 0, retrying: 0 });
  const states = [
    ['pending', -5_000],
    ['pending', 0],
    ['pending', 1],
    ['delivered', null],
    ['failed', null],
  ] as const;
  const docs = states.map(([state, inMs], index) => ({
    _id: `endpoint/${index}`,
    state,
    nextAttemptAtMs: inMs === null ? null : clock.now() + inMs,
  }));
  await collection.insertMany(docs as never[]);

  expect(await count()).toEqual({ due: 2, retrying: 1 });
});

/** A delivery that is due now, as it is read. */
async function due(endpointId: WebhookEndpointId): Promise<WebhookDelivery> {
  const eventId = `evt_${newRefreshId()}` as const;
  const wanted = { endpointId, eventId, projectId: newProjectId(), type, body: '{}' };
  await stores().deliveries.insertMissing([{ ...wanted, appendedAtMs: 1_000 }], clock.now());
  const pending = await stores().deliveries.listPending(endpointId, 10, 'all');
  return pending.find((one) => one.eventId === eventId) as WebhookDelivery;
}

const newEndpointId = (): WebhookEndpointId => `whe_${newRefreshId()}`;
const attempt = {
  atMs: 5_000,
  durationMs: 3,
  status: 500,
  error: 'status',
  responseBody: '',
} as const;
const retried = (failures: number) =>
  ({ state: 'pending', failure: null, nextAttemptAtMs: 9_000, failures }) as const;
const delivered = { ...retried(0), state: 'delivered', nextAttemptAtMs: null } as const;

test('a result is stored once: not that of a delivery that was restarted, or attempted by another replica, since it was read (Events: webhooks)', async () => {
  const { deliveries } = stores();
  const id = newEndpointId();
  const [late, restarted] = [await due(id), await due(id)];

  await deliveries.recordAttempt({ delivery: late, attempt, progress: retried(1) });
  await deliveries.recordAttempt({ delivery: late, attempt, progress: delivered });
  clock.advance(1);
  await deliveries.restartDelivery(id, restarted.eventId, clock.now());
  await deliveries.recordAttempt({ delivery: restarted, attempt, progress: delivered });

  const kept = await deliveries.listPending(id, 10, 'all');
  expect(kept.map(({ eventId, attemptsTotal }) => [eventId, attemptsTotal])).toEqual([
    [late.eventId, 1],
    [restarted.eventId, 0],
  ]);
});

test('what is executed again by a server that does not recognise it, because its response was lost, has no further effect', async () => {
  treat = asForgetful;
  const { endpoints, deliveries } = stores();
  const endpoint = endpointWith();
  const inserted = await endpoints.insertEndpoint(endpoint, 10);
  const delivery = await due(endpoint.endpointId);
  await deliveries.recordAttempt({ delivery, attempt, progress: retried(1) });

  expect(inserted?.endpointId).toBe(endpoint.endpointId);
  expect(await endpoints.listEndpoints(endpoint.projectId)).toHaveLength(1);
  const [found] = await deliveries.listPending(endpoint.endpointId, 10, 'all');
  expect(found).toMatchObject({ attemptsTotal: 1, attempts: [attempt] });
  await endpoints.markRemoved(endpoint.projectId, endpoint.endpointId, clock.now());
  await endpoints.deleteRemoved(endpoint.endpointId);
});

test('the deliveries of an endpoint are removed by commands of bounded size (architecture: everything is bounded)', async () => {
  const endpointId = newEndpointId();
  const wanted = Array.from({ length: 1_100 }, () => ({
    ...{ endpointId, eventId: `evt_${newRefreshId()}` as const, projectId: newProjectId() },
    ...{ type, body: '{}', appendedAtMs: 1_000 },
  }));
  await stores().deliveries.insertMissing(wanted, clock.now());
  let commands = 0;
  treat = (command) => {
    if (command['delete']) commands += 1;
    return asAnotherServer(command);
  };

  expect(await stores().deliveries.removeOfEndpoint(endpointId, 500)).toBe(false);
  expect(await stores().deliveries.removeOfEndpoint(endpointId)).toBe(true);

  expect(commands).toBe(3);
  expect(await stores().deliveries.listPending(endpointId, 1, 'all')).toEqual([]);
});

test('a delivery that is inserted again exists once, and only its newest twenty attempts are kept, all counted (Events: webhooks)', async () => {
  const { deliveries } = stores();
  const id = newEndpointId();
  let delivery = await due(id);
  expect(await deliveries.insertMissing([{ ...delivery, appendedAtMs: 1 }], 2_000)).toBe(0);

  for (let times = 0; times < 23; times += 1) {
    const failed = { ...attempt, atMs: times };
    await deliveries.recordAttempt({ delivery, attempt: failed, progress: retried(times + 1) });
    delivery = (await deliveries.listPending(id, 1, 'all'))[0] as WebhookDelivery;
  }

  const shown = await deliveries.listDeliveries(id, { limit: 10 });
  expect(shown.map((one) => one.attemptsTotal)).toEqual([23]);
  expect(shown[0]?.attempts.map(({ atMs }) => atMs)).toEqual(
    Array.from({ length: 20 }, (_none, index) => index + 3),
  );
});

test('a corrupt delivery, or a corrupt endpoint that is due first, blocks no other (decisions/0013)', async () => {
  const { deliveries, endpoints, collections } = stores();
  const id = newEndpointId();
  const [corrupt, next] = [await due(id), await due(id)];
  const head = { nextAttemptAtMs: 1, orderKey: null } as object;
  await collections.deliveries.updateOne({ eventId: corrupt.eventId }, { $set: head });
  const [broken, whole] = [await newEndpoint(), await newEndpoint()];
  await endpoints.makeDue({ endpointId: broken.endpointId }, 1);
  await endpoints.makeDue({ endpointId: whole.endpointId }, 2);
  const tries = 'many' as never;
  await collections.endpoints.updateOne(
    { endpointId: broken.endpointId },
    { $set: { 'work.tries': tries } },
  );

  const pending = await deliveries.listPending(id, 1, 'all');
  const claimable = await endpoints.queueOf('new').findDue(2, 1);

  expect(pending.map(({ eventId }) => eventId)).toEqual([next.eventId]);
  expect(claimable.map(({ item }) => item.endpointId)).toEqual([whole.endpointId]);
});

test('the oldest delivery that a run left is found, over all endpoints with pending work (runbooks: WebhooksLate)', async () => {
  const { endpoints, collections } = stores();
  await collections.endpoints.updateMany({}, { $set: { lateSinceMs: null } });
  expect(await endpoints.findLateSince()).toBeNull();

  for (const lateSinceMs of [2_000, 1_000, null]) {
    const { endpointId } = await newEndpoint({ lateSinceMs });
    await endpoints.makeDue({ endpointId }, clock.now());
  }
  await newEndpoint({ lateSinceMs: 500 });

  expect(await endpoints.findLateSince()).toBe(1_000);
});

test('endpoints that wait for their account cost nothing until it changes, and then are due at once; others of it are not disturbed (architecture: cost follows what is due)', async () => {
  const { endpoints } = stores();
  const accountId = newAccountId();
  const [held, idle, other] = [
    await newEndpoint({ accountId }),
    await newEndpoint({ accountId }),
    await newEndpoint(),
  ];
  for (const one of [held, other])
    await endpoints.makeDue({ endpointId: one.endpointId }, clock.now() + 600_000);
  const queue = endpoints.queueOf('new');
  const dueIds = async () =>
    (await queue.findDue(clock.now(), 100))
      .map(({ item }) => item.endpointId)
      .filter((id) => [held, idle, other].some((one) => one.endpointId === id));

  const before = await dueIds();
  await endpoints.makeDue({ waitingOf: { accountId, projectId: null } }, clock.now());
  const after = await dueIds();
  await endpoints.makeDue({ projectId: idle.projectId }, clock.now());
  const appended = await dueIds();

  expect([before, after]).toEqual([[], [held.endpointId]]);
  expect(appended.sort()).toEqual([held.endpointId, idle.endpointId].sort());
});

test('the missed events of a range get their deliveries in parts of 500 entries, and the range continues after 10,000 (Events: webhooks; architecture: everything is bounded)', async () => {
  const { deliveries } = stores();
  const endpoint = await newEndpoint({ nextPosition: 1_200 });
  const entries = Array.from({ length: 1_250 }, (_none, index) => ({
    ...{ position: index + 1, appendedAtMs: index },
    event: { id: `evt_${newRefreshId()}`, type, json: '{}' },
  }));
  const parts: number[] = [];
  const webhooks = {
    log: {
      findAppendedAfter: async (_project: string, _range: object, count: number) => 10 * count,
      async listBetween(_project: string, { after }: { after: number }, limit: number) {
        const part = entries.slice(after, after + limit);
        parts.push(part.length);
        return part;
      },
    },
    ...{ deliveries, clock, wake: async () => undefined },
  } as unknown as Webhooks;

  const done = await redeliverRange(webhooks, endpoint, { sinceMs: 0, untilMs: clock.now() });

  expect(done).toEqual({ redelivered: 1_199, continueSinceMs: 100_000 });
  expect(parts).toEqual([500, 500, 250]);
});

test('an endpoint whose due time, or the claim of it, a clock that was ahead has dated later than any is due, and no other (Events: webhooks)', async () => {
  const { endpoints } = stores();
  const waitMaxMs = 86_400_000;
  const queue = endpoints.queueOf('fast');
  const [waiting, claimed, other] = await Promise.all(
    [1, 1, 0].map((aheadMs) => newEndpointDue(clock.now() + waitMaxMs + aheadMs)),
  );
  const found = await queue.findDue(clock.now() + 2 * waitMaxMs, 100);
  const due = found.find(({ item }) => item.endpointId === claimed?.endpointId);
  await queue.claim(due as Pending<DueEndpoint>, 'lost', clock.now() + waitMaxMs + 60_000);
  const before = await queue.findDue(clock.now(), 100);

  await endpoints.makeDueIfAfter(clock.now() + waitMaxMs, clock.now());

  const ids = (await queue.findDue(clock.now(), 100)).map(({ item }) => item.endpointId);
  expect(before).toEqual([]);
  expect(ids.sort()).toEqual([waiting?.endpointId, claimed?.endpointId].sort());
  expect(ids).not.toContain(other?.endpointId);
});

async function newEndpointDue(dueAtMs: number): Promise<WebhookEndpoint> {
  const endpoint = await newEndpoint({ pace: 'fast' });
  await stores().endpoints.makeDue({ endpointId: endpoint.endpointId }, dueAtMs);
  return endpoint;
}

test('an event that is appended while its endpoint is created, after the end of the log was read, is sent at once (Events: webhooks)', async () => {
  const { endpoints } = stores();
  const projectId = newProjectId();
  const polls: string[] = [];
  const webhooks = {
    ...{ endpoints, clock, allowPrivate: true, identifiers: systemIdentifiers },
    noteDue: () => polls.push('poll'),
    log: {
      async readHead() {
        // The event at position 8 is appended now.
        expect(await endpoints.makeDue({ projectId }, clock.now())).toBe(false);
        return 7;
      },
    },
  } as unknown as Webhooks;

  const url = 'https://example.com/';
  const wanted = { projectId, accountId: newAccountId(), url, types: [type], description: null };
  const { endpointId, nextPosition } = await createEndpoint(webhooks, wanted);

  const due = await endpoints.queueOf('new').findDue(clock.now(), 100);
  expect(due.map(({ item }) => item.endpointId)).toContain(endpointId);
  expect([nextPosition, polls]).toEqual([8, ['poll']]);
});

test('an event of a Project without endpoints makes nothing due, so that nothing is polled for (architecture: cost follows what is due)', async () => {
  const { endpoints } = stores();
  const { projectId } = await newEndpoint();

  expect(await endpoints.makeDue({ projectId: newProjectId() }, clock.now())).toBe(false);
  expect(await endpoints.makeDue({ projectId }, clock.now())).toBe(true);
});

test('an endpoint that was deleted is listed no more, and after a crash its next run removes what is left (Events: webhooks)', async () => {
  const { endpoints, deliveries, collections } = stores();
  const endpoint = await newEndpoint();
  const { endpointId, projectId } = endpoint;
  await due(endpointId);
  await endpoints.markRemoved(projectId, endpointId, clock.now() + 60_000);

  expect(await endpoints.listEndpoints(projectId)).toEqual([]);
  expect(await endpoints.update(endpoint, { description: 'late' })).toBe(false);
  const queue = endpoints.queueOf('new');
  const [found] = (await queue.findDue(clock.now() + 60_000, 100)).filter(
    (one) => one.item.endpointId === endpointId,
  );
  const claimed = found && (await queue.claim(found, 'test', clock.now() + 120_000));
  if (!claimed) throw new Error('not due');
  const webhooks = only<Webhooks>({ endpoints, deliveries });
  await serveEndpoint(webhooks, queue, only({}), claimed);

  expect(await collections.endpoints.countDocuments({ endpointId })).toBe(0);
  expect(await deliveries.listDeliveries(endpointId, { limit: 1 })).toEqual([]);
});
