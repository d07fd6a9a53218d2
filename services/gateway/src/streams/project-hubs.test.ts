import type { ProjectId } from '@inventory/contracts/ids';
import type { AppendedHeads, LogHeads } from '@inventory/contracts/internal/event-log';
import { newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import type { EventStreamClient } from './event-stream-client.ts';
import { createProjectHubs } from './project-hubs.ts';

const idleSweeps = 2;

/** An event-stream that counts its requests. */
function world() {
  const requests: string[] = [];
  let appended: AppendedHeads['heads'] = [];
  let epoch = 1;
  let fails = false;
  const positions = new Map<ProjectId, number>();
  const readLogs = new Set<ProjectId>();
  const headsOf = (ids: readonly ProjectId[]) =>
    ids.map((id) => ({ projectId: id, position: positions.get(id) ?? 0 }));
  const log: EventStreamClient = {
    async readHeads(ids): Promise<LogHeads> {
      requests.push('heads');
      return { logEpoch: epoch, heads: headsOf(ids).toReversed() };
    },
    async readAppendedHeads(sinceMs) {
      requests.push(`appended since ${sinceMs}`);
      const nextSinceMs = requests.length;
      return { logEpoch: epoch, heads: appended, nextSinceMs, hasMore: false };
    },
    async readLogBatch(projectId) {
      requests.push('batch');
      readLogs.add(projectId);
      if (fails) throw new Error('the event-stream is unavailable');
      return {
        logEpoch: epoch,
        headPosition: 1,
        earliestPosition: 1,
        earliestAtMs: null,
        items: [],
      };
    },
  };
  const clock = createTestClock();
  const hubs = createProjectHubs({
    log,
    sealPosition: () => 'cursor',
    limits: { entriesMax: 10, bytesMax: 10_000 },
    logger: testLogger,
    clock,
    bytesMax: 1_000_000,
    idleSweeps,
  });
  return {
    hubs,
    requests,
    readLogs,
    /** Ends of the logs that have events. */
    positions,
    setAppended(heads: AppendedHeads['heads']) {
      appended = heads;
    },
    setFails(value: boolean) {
      fails = value;
    },
    restore() {
      epoch += 1;
    },
    /** The replica that responds was not restarted since the restore. */
    fallBehind() {
      epoch -= 1;
    },
  };
}

test('a sweep over 2,000 followed Projects is one request, and reads the log of those with new events only (Events: lost announcements)', async () => {
  const { hubs, requests, setAppended } = world();
  const projects = Array.from({ length: 2_000 }, () => newProjectId());
  for (const id of projects) await hubs.openHub(id);
  requests.splice(0);

  await hubs.compareHeads();
  expect(requests).toEqual(['appended since null']);

  const [projectId] = projects;
  if (projectId) setAppended([{ projectId, position: 1 }]);
  await hubs.compareHeads();
  await waitFor('the log is read', () => requests.includes('batch'));
  expect(requests.slice(1)).toEqual(['appended since 1', 'batch']);
});

test('each twelfth sweep reads the ends of as many logs as one request covers, in turn: what neither a message nor the time of an entry shows is found (Events: lost announcements)', async () => {
  const { hubs, requests, positions, readLogs } = world();
  const projects = Array.from({ length: 1_500 }, () => newProjectId());
  for (const hub of await Promise.all(projects.map((id) => hubs.openHub(id)))) {
    hub.attach({ sendPending() {}, logChanged() {} });
  }
  for (const id of projects) positions.set(id, 1);
  requests.splice(0);
  const found: number[] = [];

  for (let sweep = 1; sweep <= 24; sweep += 1) {
    await hubs.compareHeads();
    found.push(readLogs.size);
  }

  expect(requests.filter((request) => request === 'heads')).toHaveLength(2);
  expect([found[10], found[11], found[22], found[23]]).toEqual([0, 1_000, 1_000, 1_500]);
});

test('a replica that follows no Project requests nothing, and begins anew with the next one (decisions/0032)', async () => {
  const { hubs, requests } = world();
  await hubs.compareHeads();
  expect(requests).toEqual([]);

  await hubs.openHub(newProjectId());
  for (let sweep = 0; sweep < idleSweeps; sweep += 1) await hubs.compareHeads();
  requests.splice(0);
  await hubs.compareHeads();
  await hubs.openHub(newProjectId());
  await hubs.compareHeads();

  expect(requests).toEqual(['heads', 'appended since null']);
});

test('the ends of the logs of 5,000 Projects that are opened at once are read in five requests, the end of each its own (Events: checkpoint)', async () => {
  const { hubs, requests, positions } = world();
  const projects = Array.from({ length: 5_000 }, () => newProjectId());
  for (const [index, id] of projects.entries()) positions.set(id, index);

  const opened = await Promise.all(projects.map((id) => hubs.openHub(id)));

  expect(requests).toEqual(Array.from({ length: 5 }, () => 'heads'));
  expect(opened.map(({ ring }) => ring.last)).toEqual([...projects.keys()]);
});

test('a Project is followed from the request for its hub on, so that no event is skipped meanwhile (Events: fan-out)', async () => {
  const { hubs } = world();
  const [followed, other] = [newProjectId(), newProjectId()];
  const opening = hubs.openHub(followed);
  const during = hubs.isFollowed(followed);
  await opening;

  expect([during, hubs.isFollowed(followed), hubs.isFollowed(other)]).toEqual([true, true, false]);
});

test('a sweep repeats a failed read of a log without a further event (Events: lost announcements)', async () => {
  const { hubs, requests, setAppended, setFails } = world();
  const projectId = newProjectId();
  await hubs.openHub(projectId);
  setAppended([{ projectId, position: 1 }]);
  setFails(true);
  await hubs.compareHeads();
  await waitFor('the read failed', () => requests.includes('batch'));
  setAppended([]);
  setFails(false);
  requests.splice(0);

  await hubs.compareHeads();

  await waitFor('the log is read again', () => requests.includes('batch'));
});

test('after a restore a sweep reads the heads of every followed Project once (Events: log_epoch_changed) [events-recovery]', async () => {
  const { hubs, requests, restore } = world();
  for (let count = 0; count < 3; count += 1) await hubs.openHub(newProjectId());
  requests.splice(0);
  restore();

  await hubs.compareHeads();
  await hubs.compareHeads();

  expect(requests.filter((request) => request === 'heads')).toHaveLength(1);
});

test('an event-stream of an earlier epoch changes nothing: epochs are not mixed (Events: log_epoch_changed) [events-recovery]', async () => {
  const { hubs, requests, setAppended, restore, fallBehind } = world();
  const projectId = newProjectId();
  restore();
  const hub = await hubs.openHub(projectId);
  let changes = 0;
  hub.attach({
    sendPending() {},
    logChanged() {
      changes += 1;
    },
  });
  const { ring } = hub;
  fallBehind();
  setAppended([{ projectId, position: 7 }]);

  hub.updateHead(2, 1);
  await waitFor('the log is read', () => requests.includes('batch'));
  await hubs.compareHeads();

  expect([hub.logEpoch, hub.ring === ring, changes]).toEqual([2, true, 0]);
});
