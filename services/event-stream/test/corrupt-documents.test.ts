import { randomBytes } from 'node:crypto';
import type { ProjectId } from '@inventory/contracts/ids';
import type { MongoConnection } from '@inventory/mongo/connect';
import { createTextSealer } from '@inventory/runtime/text-sealer';
import { newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openTestStore } from '@inventory/testkit/test-store';
import { logIndexes, type OldEntry, openLogCollections } from '../src/log/log-document.ts';
import { createLogPruning } from '../src/log/log-pruning-store.ts';
import { createDeliveryStore } from '../src/webhooks/delivery-store.ts';
import { createEndpointStore } from '../src/webhooks/endpoint-store.ts';
import { openWebhookCollections, webhookIndexes } from '../src/webhooks/webhook-document.ts';
import { appendTo, completionOf, openTestLog } from './support/completions.ts';
import { endpointWith } from './support/endpoints.ts';

const clock = createTestClock(Date.UTC(2026, 10, 21));
const settings = { logEpoch: 1, keepMs: 1_000_000 };
let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await openTestStore('corrupt_documents', [...logIndexes, ...webhookIndexes]);
});
afterAll(() => mongo.close());

/** What each list returns, by position or name; it has three documents. */
interface Listed {
  /** Makes a document, of those at 0, 1 and 2, corrupt. */
  corrupt(index: number): Promise<unknown>;
  list(limit: number): Promise<(number | string)[]>;
}

async function ofLog(
  field: string,
  list: (projectId: ProjectId, limit: number) => Promise<{ readonly position: number }[]>,
): Promise<Listed> {
  clock.advance(1_000);
  const projectId = newProjectId();
  const log = openTestLog(mongo.db, clock, settings);
  for (let count = 0; count < 3; count += 1) await appendTo(log, completionOf(projectId));
  return {
    corrupt: (index) =>
      mongo.db
        .collection<{ _id: string }>('projectLog')
        .updateOne({ projectId, position: index + 1 }, { $set: { [field]: null } }),
    list: async (limit) => (await list(projectId, limit)).map(({ position }) => position - 1),
  };
}

async function ofDeliveries(
  list: (
    store: ReturnType<typeof createDeliveryStore>,
    endpoint: ReturnType<typeof endpointWith>,
    eventIds: `evt_${string}`[],
    limit: number,
  ) => Promise<{ readonly eventId: string }[]>,
): Promise<Listed> {
  const { deliveries } = openWebhookCollections(mongo.db);
  const store = createDeliveryStore(deliveries, testLogger);
  const endpoint = endpointWith();
  const { endpointId, projectId } = endpoint;
  const eventIds = [0, 1, 2].map(() => `evt_${newRefreshId()}` as const).sort();
  const some = { endpointId, projectId, type: 'webhook.ping', body: '{}', appendedAtMs: null };
  for (const eventId of eventIds) {
    clock.advance(1);
    await store.insertMissing([{ ...some, eventId }], clock.now());
  }
  return {
    corrupt: (index) =>
      deliveries.updateOne({ eventId: eventIds[index] ?? 'evt_' }, { $set: { body: 5 as never } }),
    async list(limit) {
      const found = await list(store, endpoint, eventIds, limit);
      return found.map(({ eventId }) => eventIds.indexOf(eventId as `evt_${string}`));
    },
  };
}

async function ofEndpoints(): Promise<Listed> {
  const { endpoints } = openWebhookCollections(mongo.db);
  const sealer = createTextSealer([randomBytes(32).toString('base64url')]);
  const store = createEndpointStore(endpoints, sealer, testLogger);
  const projectId = newProjectId();
  const made = [0, 1, 2].map((createdAtMs) => endpointWith({ projectId, createdAtMs }));
  for (const endpoint of made) await store.insertEndpoint(endpoint, 10);
  return {
    corrupt: (index) =>
      endpoints.updateOne(
        { endpointId: made[index]?.endpointId ?? 'whe_' },
        { $set: { types: 5 as never } },
      ),
    async list() {
      const found = await store.listEndpoints(projectId);
      return found.map(({ endpointId }) => made.findIndex((one) => one.endpointId === endpointId));
    },
  };
}

const openLog = () => openTestLog(mongo.db, clock, settings);
const lists: Record<string, () => Promise<Listed>> = {
  'entries of a log': () => ofLog('event', (id, limit) => openLog().listAfter(id, 0, limit)),
  'entries of a time': () =>
    ofLog('event', (id, limit) =>
      openLog().listBetween(id, { sinceMs: 0, untilMs: clock.now(), after: 0 }, limit),
    ),
  'heads of all logs': () =>
    ofLog('projectId', (_id, limit) => openLog().listAppendedSince(clock.now(), limit)),
  'entries to prune': () =>
    ofLog('event', (id, limit) =>
      createLogPruning(openLogCollections(mongo.db), testLogger).listOldest(id, limit),
    ),
  'deliveries of an endpoint': () =>
    ofDeliveries(async (store, { endpointId }, _ids, limit) =>
      (await store.listDeliveries(endpointId, { limit })).toReversed(),
    ),
  'deliveries to be sent': () =>
    ofDeliveries((store, { endpointId }, _ids, limit) =>
      store.listPending(endpointId, limit, 'all'),
    ),
  'deliveries of events': () =>
    ofDeliveries((store, { endpointId }, eventIds) => store.findOfEvents([endpointId], eventIds)),
  'endpoints of a Project': ofEndpoints,
};

test.each(Object.entries(lists))(
  'a corrupt document is left out of %s and blocks no other (decisions/0013)',
  async (_name, open) => {
    for (const index of [0, 1, 2]) {
      const { corrupt, list } = await open();
      const whole = await list(3);

      await corrupt(index);

      expect([...whole].sort()).toEqual([0, 1, 2]);
      expect([...(await list(2))].sort()).toEqual([0, 1, 2].filter((one) => one !== index));
    }
  },
);

test('a corrupt entry does not keep its log from being pruned, and is deleted with what follows it (decisions/0013)', async () => {
  const collections = openLogCollections(mongo.db);
  const pruning = createLogPruning(collections, testLogger);
  let oldest: OldEntry[] = [];
  const { corrupt, list } = await ofLog('event', async (projectId, limit) => {
    oldest = await pruning.listOldest(projectId, limit);
    return oldest;
  });
  await corrupt(0);
  await list(3);

  await pruning.removeEntries(oldest.slice(0, 1), clock.now());

  expect(await list(3)).toEqual([2]);
  const { projectId } = oldest[0] as OldEntry;
  expect(await collections.log.countDocuments({ projectId })).toBe(1);
});
