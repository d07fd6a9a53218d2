import type { ProjectId } from '@inventory/contracts/ids';
import { logBatch, logHeads } from '@inventory/contracts/internal/event-log';
import { createInternalClient, type InternalClient } from '@inventory/http/internal-client';
import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newProjectId } from '@inventory/testkit/builders';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { createTestClock, type TestClock } from '@inventory/testkit/test-clock';
import { startTestService } from '@inventory/testkit/test-service';
import { openLogCollections } from '../src/log/log-document.ts';
import { createLogPruning, type LogPruning } from '../src/log/log-pruning-store.ts';
import { writeRefreshEvent } from '../src/log/project-event.ts';
import { pruneLog } from '../src/log/prune-logs.ts';
import { startEventStream } from '../src/start-event-stream.ts';
import {
  appendTo,
  type Completion,
  completionOf,
  openTestLog,
  type TestLog,
} from './support/completions.ts';
import { testConfig } from './support/test-config.ts';

const dayMs = 24 * 3_600_000;
const firstDay = Date.UTC(2026, 10, 1);
const settings = { logEpoch: 3, keepMs: 7 * dayMs };
let mongo: MongoConnection;
let service: { readonly url: string; stop(): Promise<void> };
let client: InternalClient;
let log: TestLog;
let pruning: LogPruning;
let clock: TestClock;

beforeAll(async () => {
  const namespace = await openNamespace();
  const config = testConfig(namespace, { log: { ...settings, pruneEveryMs: dayMs } });
  mongo = await connectMongo({ ...config.mongodb, service: 'test', logger: testLogger });
  // The clock of the service is at the first day of every test, so its own pruning finds nothing.
  const start = startEventStream;
  service = await startTestService({ config, start, clock: createTestClock(firstDay) });
  client = createInternalClient({
    baseUrl: service.url,
    service: 'event-stream',
    serviceToken: undefined,
    timeoutMs: 600_000,
  });
});
afterAll(async () => {
  await client.close();
  await service.stop();
  await mongo.close();
});
beforeEach(() => {
  clock = createTestClock(firstDay);
  log = openTestLog(mongo.db, clock, settings);
  pruning = openPruning();
});

const openPruning = () => createLogPruning(openLogCollections(mongo.db), testLogger);

const eventOf = (projectId: ProjectId) => completionOf(projectId, { completedAtMs: clock.now() });

const append = (completion: Completion) => appendTo(log, completion);

/** One event a day. */
async function daily(projectId: ProjectId, days: number): Promise<Completion[]> {
  const completions: Completion[] = [];
  for (let day = 0; day < days; day += 1) {
    const completion = eventOf(projectId);
    await append(completion);
    completions.push(completion);
    clock.advance(dayMs);
  }
  return completions;
}

/** What is due of all logs, by as many replicas as there are prunings; which logs were polled at. */
async function prune(...others: LogPruning[]): Promise<string[]> {
  const polled: string[] = [];
  const replicas = [pruning, ...others];
  for (const one of replicas) {
    for (const found of await one.queue.findDue(clock.now(), 100)) {
      const claimed = await one.queue.claim(found, 'test', clock.now() + 60_000);
      if (claimed === null) continue;
      polled.push(claimed.item.projectId);
      await pruneLog({ pruning: one, clock, keepMs: settings.keepMs, everyMs: 3_600_000 }, claimed);
    }
  }
  return polled;
}
const page = (projectId: string, after: number, limit = 500) =>
  client.json(logBatch, {
    method: 'GET',
    path: `/projects/${projectId}/log`,
    query: { after, limit },
  });

test('events are pruned a week after they were appended, and the kept log is contiguous (Events: kept log) [events-kept-log]', async () => {
  const projectId = newProjectId();
  await daily(projectId, 10);

  await prune();

  const kept = await page(projectId, 0);
  expect(kept.items.map(({ position }) => position)).toEqual([4, 5, 6, 7, 8, 9, 10]);
  expect(kept).toMatchObject({ logEpoch: 3, headPosition: 10, earliestPosition: 4 });
  expect(kept.earliestAtMs).toBe(kept.items[0]?.appendedAtMs);
});

test('the newest event of an idle Project is kept, and the next position follows it (Events: kept log)', async () => {
  const projectId = newProjectId();
  await daily(projectId, 3);
  clock.advance(100 * dayMs);

  await prune();
  const idle = await page(projectId, 0);
  const next = await append(eventOf(projectId));

  expect(idle.items.map(({ position }) => position)).toEqual([3]);
  expect(next.position).toBe(4);
});

test('a log is pruned by one replica, when its oldest entry is due, and not polled while it is idle (architecture: cost follows what is due)', async () => {
  const [idle, busy, second] = [newProjectId(), newProjectId(), openPruning()];
  await daily(idle, 1);
  await daily(busy, 8);

  const own = async () => (await prune(second)).filter((id) => id === idle || id === busy);

  const first = await own();
  const again = await own();
  clock.advance(dayMs);
  const nextDay = await own();
  clock.advance(30 * dayMs);
  const later = await own();
  const idleNow = await own();
  await append(eventOf(idle));
  clock.advance(8 * dayMs);
  const awake = await own();
  const kept = async (id: string) => (await page(id, 0)).items.map(({ position }) => position);

  expect(first.sort()).toEqual([idle, busy].sort());
  expect([again, nextDay, later, idleNow, awake]).toEqual([[], [busy], [busy], [], [idle]]);
  expect([await kept(idle), await kept(busy)]).toEqual([[2], [8]]);
});

test('a log that was found idle, by a clock that is ahead, is due again with its next entry (Events: kept log)', async () => {
  const projectId = newProjectId();
  await daily(projectId, 1);
  clock.advance(7 * dayMs);
  const found = await prune();
  clock.advance(-2 * dayMs);

  await append(eventOf(projectId));
  clock.advance(8 * dayMs);
  await prune();

  expect(found).toContain(projectId);
  expect((await page(projectId, 0)).items.map(({ position }) => position)).toEqual([2]);
});

test('an event announced again after it was pruned keeps its position and is not appended again (Events: one event per refresh) [event-id]', async () => {
  const projectId = newProjectId();
  const events = await daily(projectId, 10);
  await prune();

  const second = events[1] ?? eventOf(projectId);
  const again = await appendTo(log, second);

  expect(again).toMatchObject({ position: 2, event: writeRefreshEvent(second) });
  expect((await page(projectId, 0)).headPosition).toBe(10);
});

test.each([
  {
    replica: 'has not appended for longer than events are kept',
    events: 10,
    pausedMs: dayMs,
    aheadMs: 0,
  },
  {
    replica: 'appended a moment ago, and a clock is a year ahead',
    events: 3,
    pausedMs: 1,
    aheadMs: 365 * dayMs,
  },
])(
  'a replica that $replica appends after the newest event, at no position that was pruned (Events: kept log) [events-gapless]',
  async ({ events, pausedMs, aheadMs }) => {
    const projectId = newProjectId();
    await append(eventOf(projectId));
    const other = openTestLog(mongo.db, clock, settings);
    for (let count = 0; count < events; count += 1) {
      clock.advance(pausedMs);
      await appendTo(other, eventOf(projectId));
    }
    clock.advance(aheadMs);
    await prune();
    clock.advance(-aheadMs);
    const { headPosition: before, earliestPosition: earliest } = await page(projectId, 0);

    const completion = eventOf(projectId);
    const entry = await append(completion);

    const following = await page(projectId, before);
    expect([earliest, before]).toEqual([expect.any(Number), events + 1]);
    expect(earliest).toBeGreaterThan(2);
    expect(following.items.map(({ position, event }) => [position, event.id])).toEqual([
      [entry.position, writeRefreshEvent(completion).id],
    ]);
    expect(entry.position).toBe(before + 1);
  },
);

test('a log is read in pages, ascending, from any position', async () => {
  const projectId = newProjectId();
  const events = await daily(projectId, 5);

  const pages = [
    await page(projectId, 0, 2),
    await page(projectId, 2, 2),
    await page(projectId, 4),
  ];

  expect(pages.map(({ items }) => items.map(({ position }) => position))).toEqual([
    [1, 2],
    [3, 4],
    [5],
  ]);
  expect(pages.flatMap(({ items }) => items.map(({ event }) => event.id))).toEqual(
    events.map((completion) => writeRefreshEvent(completion).id),
  );
  expect((await page(projectId, 5)).items).toEqual([]);
});

test('one request reads the heads of many Projects, 0 for a Project without events', async () => {
  const projects = [newProjectId(), newProjectId()] as const;
  await daily(projects[0], 2);

  const heads = await client.json(logHeads, {
    method: 'POST',
    path: '/logs/heads',
    body: { project_ids: projects },
  });

  expect(heads).toEqual({
    logEpoch: 3,
    heads: [
      { projectId: projects[0], position: 2 },
      { projectId: projects[1], position: 0 },
    ],
  });
  const unknown = await page(`prj_${systemIdentifiers.uuidV7()}`, 0);
  expect(unknown).toEqual({
    logEpoch: 3,
    headPosition: 0,
    earliestPosition: 1,
    earliestAtMs: null,
    items: [],
  });
});
