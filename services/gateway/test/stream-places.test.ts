import { connectMongo } from '@inventory/mongo/connect';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { createStreamPlaceStore, streamPlaceIndexes } from '../src/streams/stream-place-store.ts';
import { createStreamPlaces } from '../src/streams/stream-places.ts';
import { createStreamReplicaStore } from '../src/streams/stream-replica-store.ts';
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

test('a Project has four streams over all replicas; a fifth is refused and ends none, until one has ended (Events: stream_limit_exceeded) [events-places]', async () => {
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
  const admitted = await waitFor('its place is free at the other replica', async () => {
    const next = await other.open(1);
    return next.status === 200 && next;
  });
  for (const stream of [...held, admitted]) stream.cut();
});

test('of concurrent requests at two replicas over one store as many are admitted as there are places, and a lost replica frees its own (Events: places) [events-places]', async () => {
  const { db, close } = await connectMongo({
    uri: world.namespace.mongodbUri,
    database: world.namespace.database('places'),
    service: 'gateway',
    logger: testLogger,
  });
  world.defer(close);
  await ensureIndexes(db, [streamPlaceIndexes]);
  const clock = createTestClock();
  const projectId = newProjectId();
  const [one, two] = [0, 1].map(() =>
    createStreamPlaces({
      places: createStreamPlaceStore(db, { clock, lifeMaxMs: 900_000 }),
      replicas: createStreamReplicaStore(db),
      limits: { perProjectMax: 4, totalMax: 100, acquireMs: 600_000 },
      leaseMs: 20_000,
      identifiers: systemIdentifiers,
      clock,
      onReleased: () => {},
    }),
  );
  if (!one || !two) throw new Error('there are two replicas');
  await Promise.all([one.renew(), two.renew()]);
  const acquireAll = (replicas: readonly (typeof one)[]) =>
    Promise.all(
      Array.from({ length: 20 }, async (_none, index) => {
        const replica = replicas[index % replicas.length] ?? one;
        return (await replica.acquire(projectId)).result;
      }),
    );
  const granted = (results: readonly string[]) => results.filter((result) => result === 'granted');

  const first = await acquireAll([one, two]);
  await two.renew();
  clock.advance(20_000);
  await two.renew();
  const second = await acquireAll([two]);

  expect(granted(first)).toHaveLength(4);
  const ofLost = first.filter((_result, index) => index % 2 === 0);
  expect(granted(second)).toHaveLength(granted(ofLost).length);
});
