import { forEachLimited } from '@inventory/runtime/concurrency';
import { waitFor } from '@inventory/testkit/wait-for';
import { openChance } from '../support/random-seed.ts';
import { type CuttingProxy, startCuttingProxy } from './support/cutting-proxy.ts';
import { createPatientClient } from './support/patient-client.ts';
import { readProjectLog } from './support/project-log.ts';
import type { PublicApi } from './support/public-api.ts';
import { sizeScope } from './support/simulator-control.ts';
import { type StreamFollower, startFollower } from './support/stream-follower.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const projects = 125;
const readersOfEach = 8;
const refreshesOfEach = 2;
const lifeMeanMs = 15_000;
let stack: TestStack;
let network: CuttingProxy;
let followers: readonly StreamFollower[] = [];
const chance = openChance();

beforeAll(async () => {
  process.stderr.write(`crowd: TEST_SEED=${chance.seed}\n`);
  stack = await openTestStack({
    replicas: { gateway: 2, 'event-stream': 2 },
    serviceEnvironment: {
      gateway: { STREAMS_PER_PROJECT_MAX: String(readersOfEach), CONNECTIONS_PER_PEER_MAX: '4000' },
    },
  });
  const targets = stack.replicasOf('gateway').map(({ publicUrl }) => publicUrl ?? '');
  network = await startCuttingProxy({ targets: () => targets, chance, lifeMeanMs });
});
afterAll(async () => {
  await Promise.all(followers.map((one) => one.stop()));
  await network?.close();
  await stack?.close();
});

interface Reader {
  readonly projectId: string;
  readonly api: PublicApi;
  readonly secret: string;
}

async function newReaders(): Promise<Reader[]> {
  const { accountId } = await stack.operator.newCustomer();
  await stack.operator.switchEvents(accountId, true);
  const readers: Reader[] = [];
  await forEachLimited([...Array(projects).keys()], 8, async () => {
    const projectId = await stack.operator.newProject(accountId);
    const scopes = ['*', 'customer.events.read.v1'];
    readers.push({ projectId, ...(await stack.operator.newCredential(projectId, { scopes })) });
  });
  return readers;
}

test('1,000 streams that are cut off at random give every reader each event once, in the order of the log (Events)', async () => {
  const readers = await newReaders();
  followers = readers.flatMap(({ projectId, secret: apiKey }) =>
    Array.from({ length: readersOfEach }, () =>
      startFollower({ url: network.url, projectId, apiKey }),
    ),
  );
  await waitFor(
    'every reader has its first position',
    () => followers.every((one) => one.hasPosition()),
    { everyMs: 250 },
  );
  const wanted = chance.shuffled(
    readers.flatMap((reader, serial) =>
      Array.from({ length: refreshesOfEach }, (_none, round) => ({ reader, serial, round })),
    ),
  );
  await forEachLimited(wanted, 12, async ({ reader, serial, round }) => {
    const client = createPatientClient({
      apis: [reader.api],
      nowMs: () => performance.now(),
      giveUpAfterMs: 60_000,
    });
    await client.refresh(sizeScope(3, serial * refreshesOfEach + round));
  });
  await untilAllLogged(readers.length * refreshesOfEach);
  await untilAllApplied();
  const cutsWanted = projects * readersOfEach;
  await waitFor('as many cuts as readers', () => network.cuts() > cutsWanted, {
    everyMs: 250,
  });
  await Promise.all(followers.map((one) => one.stop()));

  expect(followers.map((one) => one.failure()).filter((one) => one !== undefined)).toEqual([]);
  for (const { projectId } of readers) {
    const stored = (await readProjectLog(stack, projectId)).map(({ eventId }) => eventId);
    expect(stored).toHaveLength(refreshesOfEach);
    for (const { applied } of followers.filter((one) => one.projectId === projectId)) {
      expect(applied.map(({ event }) => event.id)).toEqual(stored);
    }
  }
});

async function untilAllLogged(count: number): Promise<void> {
  const log = (await stack.recordsOf('event-stream')).collection('projectLog');
  await waitFor(
    'every refresh is in its log',
    async () => {
      const logged = await log.countDocuments({});
      if (logged < count) throw new Error(`${logged} of ${count}`);
      return true;
    },
    { everyMs: 250 },
  );
}

async function untilAllApplied(): Promise<void> {
  await waitFor(
    'every reader applied every event',
    () => {
      const left = followers.filter(({ applied }) => applied.length < refreshesOfEach);
      if (left.length > 0) throw new Error(`${left.length} readers wait`);
      return true;
    },
    { everyMs: 250 },
  );
}
