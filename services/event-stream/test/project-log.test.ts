import type { ProjectId } from '@inventory/contracts/ids';
import type { MessageBody } from '@inventory/contracts/messages';
import type { AppendedEvent } from '@inventory/contracts/messages/project-events';
import type { MessageBus } from '@inventory/messaging/bus';
import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { invariant } from '@inventory/runtime/bug';
import { systemClock } from '@inventory/runtime/clock';
import { newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { type MessageRecorder, recordMessages } from '@inventory/testkit/message-recorder';
import { openNamespace, type TestNamespace, testLogger } from '@inventory/testkit/namespace';
import { openTestBus } from '@inventory/testkit/test-bus';
import { startTestService } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Claim } from '../src/log/claim-store.ts';
import { logIndexes, openLogCollections } from '../src/log/log-document.ts';
import { writeRefreshEvent } from '../src/log/project-event.ts';
import { idOf } from '../src/log/project-log-store.ts';
import { startEventStream } from '../src/start-event-stream.ts';
import {
  appendTo,
  type Completion,
  completionOf,
  openTestLog,
  type TestLog,
} from './support/completions.ts';
import { testConfig, testDatabase } from './support/test-config.ts';

type Appended = MessageBody<'project.event-appended.v1'>;

const dayMs = 24 * 3_600_000;
const logSettings = { logEpoch: 1, keepMs: 7 * 24 * 3_600_000, pruneEveryMs: 3_600_000 };
let namespace: TestNamespace;
let mongo: MongoConnection;
let bus: MessageBus;
let entryRecorder: MessageRecorder;
let replicas: { stop(): Promise<void> }[];

beforeAll(async () => {
  namespace = await openNamespace();
  mongo = await connectMongo({
    uri: namespace.mongodbUri,
    database: namespace.database(testDatabase),
    service: 'test',
    logger: testLogger,
  });
  bus = await openTestBus(namespace);
  entryRecorder = await recordMessages(bus, ['project.events.v1']);
  const config = testConfig(namespace, { log: logSettings, clockOffsetMaxMs: 600_000 });
  replicas = await Promise.all(
    [dayMs, -dayMs].map((aheadMs) => {
      const clock = { now: () => systemClock.now() + aheadMs };
      return startTestService({ config, start: startEventStream, clock });
    }),
  );
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await bus.close();
  await mongo.close();
});

function announce(bodies: readonly Completion[]): Promise<void> {
  return bus.publish(
    bodies.map((body) => ({
      type: 'refresh.completed.v1',
      id: `completed:${body.refreshId}`,
      body,
    })),
  );
}

function publishedFor(projectId: ProjectId): readonly Appended[] {
  return entryRecorder
    .of('project.event-appended.v1')
    .filter((appended) => appended.projectId === projectId);
}

const refreshOf = ({ event }: Appended) => event.refreshId;

const publishedTimes = (projectId: ProjectId, times: number) =>
  waitFor(`${times} entries are published`, () => publishedFor(projectId).length >= times);

test('a duplicate announcement keeps the event and position of its refresh, and publishes the entry again unchanged (Events) [events-gapless]', async () => {
  const projectId = newProjectId();
  const bodies = Array.from({ length: 12 }, () => completionOf(projectId));

  await announce(bodies);
  await announce([...bodies].reverse());
  await publishedTimes(projectId, 24);

  const published = publishedFor(projectId);
  const first = published.slice(0, 12);
  expect(first.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(first.map(refreshOf)).toEqual(bodies.map((body) => body.refreshId));
  expect(published.slice(12)).toEqual([...first].reverse());
});

test('positions of every Project are contiguous from 1, in the order of the announcements, and their times are those of the store where the clocks of replicas are two days apart (Events)', async () => {
  const projects = Array.from({ length: 8 }, () => newProjectId());
  const bodies = Array.from({ length: 20 }, () => projects.map((id) => completionOf(id))).flat();

  await announce(bodies);
  for (const projectId of projects) await publishedTimes(projectId, 20);
  const appendedMs = projects
    .flatMap(publishedFor)
    .map(({ appendedAtMs }) => (appendedAtMs ?? Number.NaN) - systemClock.now());

  for (const projectId of projects) {
    const announced = bodies.filter((body) => body.projectId === projectId);
    expect(publishedFor(projectId).map((entry) => [entry.position, refreshOf(entry)])).toEqual(
      announced.map((body, index) => [index + 1, body.refreshId]),
    );
  }
  expect(appendedMs.filter((offsetMs) => Math.abs(offsetMs) > dayMs / 2)).toEqual([]);
});

test('an entry is published with its position and the text of its event (Events)', async () => {
  const body = completionOf(newProjectId());

  await announce([body]);
  await publishedTimes(body.projectId, 1);

  expect(publishedFor(body.projectId)).toEqual([
    {
      projectId: body.projectId,
      position: 1,
      logEpoch: 1,
      appendedAtMs: expect.any(Number),
      event: writeRefreshEvent(body),
    },
  ]);
});

test('replicas that append to one Project concurrently leave no gap and no duplicate (Events)', async () => {
  const collection = openLogCollections(mongo.db).log;
  const logs = [1, 2, 3].map(() => openTestLog(mongo.db, systemClock, logSettings));
  const projectId = newProjectId();
  const events = Array.from({ length: 30 }, () => completionOf(projectId));

  const entries = await Promise.all(
    logs.flatMap((log, replica) => {
      // Each replica appends all events, in its own order, two at a time.
      const turned = [...events.slice(replica * 10), ...events.slice(0, replica * 10)];
      const halves = [turned.slice(0, 15), turned.slice(15)];
      return halves.map((half) => appendInOrder(log, half));
    }),
  );

  const positions = new Map(entries.flat().map(({ position, event }) => [event.id, position]));
  expect([...positions.values()].sort((a, b) => a - b)).toEqual(events.map((_event, i) => i + 1));
  for (const { event, position } of entries.flat()) expect(positions.get(event.id)).toBe(position);
  expect(await collection.countDocuments({ projectId })).toBe(30);
});

test('of claims that are made by one command each knows whether it was made, also where another replica was first (Events)', async () => {
  const log = openTestLog(mongo.db, systemClock, logSettings);
  const other = openTestLog(mongo.db, systemClock, logSettings);
  const [free, taken, twice] = await Promise.all(
    [1, 2, 3].map(async () => {
      const projectId = newProjectId();
      return { projectId, last: await log.makeClaim(projectId, null, claimOf(projectId, 1)) };
    }),
  );
  invariant(free !== undefined && taken !== undefined && twice !== undefined, 'three logs');
  await other.makeClaim(taken.projectId, taken.last, claimOf(taken.projectId, 2));

  const isMade = await Promise.all(
    [free, taken, twice, twice].map(async ({ projectId, last }) => {
      return (await log.makeClaim(projectId, last, claimOf(projectId, 2))) !== null;
    }),
  );

  expect(isMade.slice(0, 2)).toEqual([true, false]);
  expect(isMade.slice(2).toSorted()).toEqual([false, true]);
});

function claimOf(projectId: ProjectId, position: number): Claim {
  const completion = completionOf(projectId);
  return { accountId: completion.accountId, position, event: writeRefreshEvent(completion) };
}

test('beside a replica of the version before, which appends without a claim, positions stay contiguous and each event has one (Events) [events-gapless]', async () => {
  const collections = openLogCollections(mongo.db);
  const projectId = newProjectId();
  const work = { dueAtMs: systemClock.now(), tries: 0, owner: null };
  await collections.claims.insertOne({ _id: projectId, work });
  const log = openTestLog(mongo.db, systemClock, logSettings);
  const insertWithoutClaim = async (completion: Completion) => {
    const position = (await log.readHead(projectId)) + 1;
    await collections.log.insertOne({
      ...{
        _id: idOf(projectId, position),
        projectId,
        position,
        event: writeRefreshEvent(completion),
      },
      ...{ accountId: completion.accountId, appendedAtMs: systemClock.now() },
    });
  };

  const completions = Array.from({ length: 7 }, () => completionOf(projectId));
  for (const [index, completion] of completions.entries()) {
    if (index % 3 === 0) await insertWithoutClaim(completion);
    else await appendTo(log, completion);
  }
  const again = await appendInOrder(log, completions);

  const entries = await log.listAfter(projectId, 0, 100);
  const positions = entries.map(({ position, event }) => [position, event.id]);
  expect(positions).toEqual(
    completions.map((one, index) => [index + 1, writeRefreshEvent(one).id]),
  );
  expect(again.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('an event id has one entry in the log of each Project, and shows nothing of another one', async () => {
  const log = openTestLog(mongo.db, systemClock, logSettings);
  const refreshId = newRefreshId();
  const append = (projectId: ProjectId) => appendTo(log, completionOf(projectId, { refreshId }));
  const [one, other] = [newProjectId(), newProjectId()];

  const entries = [await append(one), await append(other), await append(one)];

  expect(entries.map((entry) => [entry.projectId, entry.position])).toEqual([
    [one, 1],
    [other, 1],
    [one, 1],
  ]);
});

async function appendInOrder(
  log: TestLog,
  completions: readonly Completion[],
): Promise<AppendedEvent[]> {
  const entries: AppendedEvent[] = [];
  for (const one of completions) entries.push(await appendTo(log, one));
  return entries;
}

test('the unique indexes that decide a race exist', async () => {
  const collection = openLogCollections(mongo.db).log;
  const existing = await collection.indexes();
  const unique = existing.filter((index) => index.unique).map((index) => index.name);

  const declared = logIndexes[0]?.indexes.filter(({ options }) => options?.['unique']) ?? [];
  expect(unique).toEqual(declared.map(({ name }) => name));
});
