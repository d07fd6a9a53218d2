import { connectMongo } from '@inventory/mongo/connect';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import type { WithLease } from '@inventory/work/lease';
import type { Db } from 'mongodb';
import { createSlotStore, slotIndexes } from '../src/streams/stream-slot-store.ts';
import { createStreamSlots, type StreamSlot } from '../src/streams/stream-slots.ts';
import { work } from '../src/work.ts';
import { openEventStream } from './support/open-stream.ts';
import {
  type GatewayWorld,
  openWorld,
  startTestGateway,
  type TestGateway,
} from './support/test-gateway.ts';

let world: GatewayWorld;
let gateways: readonly [TestGateway, TestGateway];
const eventPermissions = { eventsEnabled: true, permissions: ['customer.events.read.v1'] } as const;

beforeAll(async () => {
  world = await openWorld();
  gateways = [await startTestGateway(world), await startTestGateway(world)];
});
afterAll(() => world?.close());

const newReader = (projectId = newProjectId()) => {
  const { key } = world.issue({ projectId, ...eventPermissions });
  return {
    projectId,
    key,
    open: (at: 0 | 1) => openEventStream(gateways[at].url, { projectId, key }),
  };
};

test('a Project has four streams over all replicas; a fifth is refused and ends none, until one has ended (Events: stream_limit_exceeded) [events-slots]', async () => {
  const reader = newReader();
  const other = newReader(reader.projectId);
  const held = await Promise.all([reader.open(0), reader.open(1), reader.open(0), reader.open(1)]);

  const refused = await other.open(1);
  const { error } = JSON.parse(await refused.received('}}'));

  expect(held.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect([refused.status, error.code, error.detail]).toEqual([
    429,
    'stream_limit_exceeded',
    { limit: 4 },
  ]);
  held[0]?.cut();
  const admitted = await waitFor('its slot is free at the other replica', async () => {
    const next = await other.open(1);
    return next.status === 200 && next;
  });
  for (const stream of [...held, admitted]) stream.cut();
});

test('of concurrent requests at two replicas over one store as many are admitted as there are slots, and a lost replica frees its own (Events: slots) [events-slots]', async () => {
  const { db, close } = await connectMongo({
    uri: world.namespace.mongodbUri,
    database: world.namespace.database('slots'),
    service: 'gateway',
    logger: testLogger,
  });
  world.defer(close);
  await ensureIndexes(db, slotIndexes);
  const projectId = newProjectId();
  const [one, two] = [0, 1].map(() =>
    createStreamSlots(
      createSlotStore(db, work.slots.leaseMs),
      { perProjectMax: 4, totalMax: 100, acquireMs: 600_000 },
      systemIdentifiers,
      () => {},
    ),
  );
  if (!one || !two) throw new Error('there are two replicas');
  await Promise.all([one.renew(), two.renew()]);
  const acquireAll = (replicas: readonly (typeof one)[]) =>
    Promise.all(
      Array.from({ length: 20 }, async (_none, index) => {
        const replica = replicas[index % replicas.length] ?? one;
        return replica.acquire(projectId);
      }),
    );
  const granted = (results: readonly (StreamSlot | string)[]) =>
    results.filter((result) => typeof result !== 'string');

  const first = await acquireAll([one, two]);
  await expireLeases(db);
  await two.renew();
  const second = await acquireAll([two]);

  expect(granted(first)).toHaveLength(4);
  const ofLost = first.filter((_result, index) => index % 2 === 0);
  expect(granted(second)).toHaveLength(granted(ofLost).length);
});

/** As if no replica had renewed for the time of its lease. */
async function expireLeases(db: Db): Promise<void> {
  await db
    .collection<WithLease>(work.slots.collection)
    .updateMany({}, [{ $set: { 'lease.until': new Date(0) } }]);
}
