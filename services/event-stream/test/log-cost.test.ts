import type { ProjectId } from '@inventory/contracts/ids';
import { appendedHeads } from '@inventory/contracts/internal/event-log';
import { createInternalClient } from '@inventory/http/internal-client';
import { isoTime, systemClock } from '@inventory/runtime/clock';
import { newProjectId } from '@inventory/testkit/builders';
import { openNamespace } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { startTestService } from '@inventory/testkit/test-service';
import { type CommandSucceededEvent, MongoClient } from 'mongodb';
import { type AppendedHeadsRead, readAppendedHeads } from '../src/log/log-routes.ts';
import { startEventStream } from '../src/start-event-stream.ts';
import { appendTo, completionOf, openTestLog } from './support/completions.ts';
import { testConfig, testDatabase } from './support/test-config.ts';

const settings = { logEpoch: 1, keepMs: 7 * 24 * 3_600_000 };
let client: MongoClient;
let database: string;
const commands: CommandSucceededEvent[] = [];

beforeAll(async () => {
  const namespace = await openNamespace();
  database = namespace.database(testDatabase);
  // As the service writes: a read of the service sees no write that is not committed.
  const writeConcern = { w: 'majority' } as const;
  client = new MongoClient(namespace.mongodbUri, { monitorCommands: true, writeConcern });
  client.on('commandSucceeded', (event) => {
    if (['find', 'insert', 'update', 'getMore', 'aggregate'].includes(event.commandName))
      commands.push(event);
  });
  await client.connect();
});
afterAll(() => client.close());
beforeEach(() => commands.splice(0));

const named = (name: string) => commands.filter(({ commandName }) => commandName === name);

function openLog(clock = systemClock) {
  return openTestLog(client.db(database), clock, settings);
}

const newEvent = (projectId: ProjectId, nowMs = Date.now()) =>
  completionOf(projectId, { completedAtMs: nowMs });

const positionsIn = ({ heads }: AppendedHeadsRead) =>
  new Map(heads.map(({ projectId, position }) => [projectId, position]));

test('the head of a log of any length is one command without an open cursor (architecture: everything is bounded)', async () => {
  const projectId = newProjectId();
  const log = openLog();
  for (let times = 0; times < 120; times += 1) {
    await appendTo(log, newEvent(projectId));
  }
  commands.splice(0);

  expect(await log.readHead(projectId)).toBe(120);

  expect(named('find')).toHaveLength(1);
  const replies = named('find').map(({ reply }) => reply as { cursor: { id: unknown } });
  expect(replies.map(({ cursor }) => String(cursor.id))).toEqual(['0']);
});

test('a replica that appends to a Project again reads nothing: an event is a claim and an entry; it reads the end of the log after a conflict (architecture: everything is bounded)', async () => {
  const projectId = newProjectId();
  const [log, other] = [openLog(), openLog()];
  await appendTo(log, newEvent(projectId));
  const first = commands.splice(0).map(({ commandName }) => commandName);
  for (let times = 0; times < 9; times += 1) {
    await appendTo(log, newEvent(projectId));
  }
  const again = commands.splice(0).map(({ commandName }) => commandName);

  const next = await appendTo(other, newEvent(projectId));
  const after = await appendTo(log, newEvent(projectId));

  expect(first).toEqual(['find', 'find', 'find', 'find', 'insert', 'insert']);
  expect(again).toEqual(Array(9).fill(['update', 'insert']).flat());
  expect([next.position, after.position]).toEqual([11, 12]);
});

test('events of different Projects that are appended together share their commands, and pages that are read together a read (architecture: everything is bounded)', async () => {
  const log = openLog();
  const projects = Array.from({ length: 40 }, () => newProjectId());
  for (const projectId of projects) await appendTo(log, newEvent(projectId));
  commands.splice(0);

  const events = projects.map((projectId) => newEvent(projectId));
  const entries = await Promise.all(events.map((event) => appendTo(log, event)));
  const [first = newProjectId(), second = newProjectId()] = projects;
  const pages = await Promise.all(
    [first, second, first, first].map((projectId) => log.listAfter(projectId, 1, 10)),
  );

  expect(entries.map(({ position }) => position)).toEqual(projects.map(() => 2));
  expect(pages.map((page) => page.map(({ event }) => event.id))).toEqual(
    [0, 1, 0, 0].map((index) => [entries[index]?.event.id]),
  );
  expect([named('update').length, named('insert').length]).toEqual([1, 1]);
  expect(named('find')).toHaveLength(2);
});

test('the read of appended heads returns the Projects with entries since its time only (Events: lost announcements)', async () => {
  const clock = createTestClock(Date.UTC(2027, 0, 1));
  const log = openLog(clock);
  const idle = Array.from({ length: 40 }, () => newProjectId());
  for (const projectId of idle) await appendTo(log, newEvent(projectId));
  clock.advance(60_000);
  const start = await readAppendedHeads({ log, clock }, null, 100);
  const [first, second] = [newProjectId(), newProjectId()];
  for (const projectId of [first, second, first]) {
    await appendTo(log, newEvent(projectId));
  }
  clock.advance(5_000);
  commands.splice(0);

  const read = await readAppendedHeads({ log, clock }, start.nextSinceMs, 100);

  expect(positionsIn(read)).toEqual(
    new Map([
      [first, 2],
      [second, 1],
    ]),
  );
  expect(read.hasMore).toBe(false);
  expect(commands.map(({ commandName }) => commandName)).toEqual(['find']);

  // The next read overlaps this one; later ones have nothing to return.
  clock.advance(60_000);
  const later = await readAppendedHeads({ log, clock }, read.nextSinceMs, 100);
  const last = await readAppendedHeads({ log, clock }, later.nextSinceMs, 100);
  expect([later.heads.length, last.heads.length]).toEqual([2, 0]);
});

test('more entries than one read covers are returned by the next reads (architecture: everything is bounded)', async () => {
  const clock = createTestClock(Date.UTC(2028, 0, 1));
  const log = openLog(clock);
  const start = await readAppendedHeads({ log, clock }, null, 4);
  const projects = Array.from({ length: 10 }, () => newProjectId());
  for (const projectId of projects) {
    clock.advance(1);
    await appendTo(log, newEvent(projectId, clock.now()));
  }

  const found = new Set<ProjectId>();
  let sinceMs = start.nextSinceMs;
  for (let hasMore = true; hasMore; ) {
    const read = await readAppendedHeads({ log, clock }, sinceMs, 4);
    for (const { projectId } of read.heads) found.add(projectId);
    ({ nextSinceMs: sinceMs, hasMore } = read);
  }

  expect(found).toEqual(new Set(projects));
});

test('entries dated in the future, by a replica whose clock is ahead, do not move the start of the next read there (Events: lost announcements)', async () => {
  const clock = createTestClock(Date.UTC(2029, 0, 1));
  const ahead = createTestClock(clock.now() + 3_600_000);
  const [log, logAhead] = [openLog(clock), openLog(ahead)];
  const start = await readAppendedHeads({ log, clock }, null, 4);
  const early = Array.from({ length: 6 }, () => newProjectId());
  for (const projectId of early) {
    await appendTo(logAhead, newEvent(projectId, clock.now()));
  }

  clock.advance(5_000);
  const read = await readAppendedHeads({ log, clock }, start.nextSinceMs, 4);
  const lost = newProjectId();
  await appendTo(log, newEvent(lost, clock.now()));
  clock.advance(5_000);
  const next = await readAppendedHeads({ log, clock }, read.nextSinceMs, 4);

  expect(read).toMatchObject({ hasMore: false, nextSinceMs: clock.now() - 35_000 });
  expect(read.heads).toHaveLength(4);
  expect(positionsIn(next).get(lost)).toBe(1);
});

test('the read after one in parts overlaps it, so that an insert that took its time is not skipped (Events: lost announcements)', async () => {
  const clock = createTestClock(Date.UTC(2029, 5, 1));
  const log = openLog(clock);
  const start = await readAppendedHeads({ log, clock }, null, 4);
  const lateAtMs = clock.now();
  for (let times = 0; times < 6; times += 1) {
    clock.advance(1);
    await appendTo(log, newEvent(newProjectId(), clock.now()));
  }
  const part = await readAppendedHeads({ log, clock }, start.nextSinceMs, 4);
  const whole = await readAppendedHeads({ log, clock }, part.nextSinceMs, 4);

  const late = newProjectId();
  await appendTo(openLog(createTestClock(lateAtMs)), newEvent(late, lateAtMs));
  const next = await readAppendedHeads({ log, clock }, whole.nextSinceMs, 4);

  expect([part.hasMore, whole.hasMore]).toEqual([true, false]);
  expect(positionsIn(next).get(late)).toBe(1);
});

test('GET /logs/appended returns the time of the first read, then the appended heads (Events: lost announcements)', async () => {
  const namespace = await openNamespace();
  const clock = createTestClock(Date.UTC(2026, 10, 21));
  const config = testConfig(namespace, { log: { ...settings, pruneEveryMs: 3_600_000 } });
  const service = await startTestService({ config, start: startEventStream, clock });
  const http = createInternalClient({
    baseUrl: service.url,
    service: 'event-stream',
    serviceToken: undefined,
    timeoutMs: 600_000,
  });
  const get = (query: { since?: string }) =>
    http.json(appendedHeads, { method: 'GET', path: '/logs/appended', query });
  const projectId = newProjectId();

  const start = await get({});
  const db = client.db(namespace.database(testDatabase));
  const log = openTestLog(db, clock, settings);
  await appendTo(log, newEvent(projectId, clock.now()));
  const next = await get({ since: isoTime(start.nextSinceMs) });

  expect(start).toMatchObject({ logEpoch: 1, heads: [], hasMore: false });
  expect(next.heads).toEqual([{ projectId, position: 1 }]);
  await http.close();
  await service.stop();
});
