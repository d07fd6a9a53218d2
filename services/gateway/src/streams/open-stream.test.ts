import { eventText } from '@inventory/contracts/internal/event-log';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { createMemoryLog, type MemoryLog, nextRound } from '../../test/support/memory-log.ts';
import {
  RecordedConnection,
  sealPosition,
  sessionContext,
} from '../../test/support/test-streams.ts';
import type { StreamServices } from './open-event-streams.ts';
import { openStream } from './open-stream.ts';
import { createProjectHubs, type ProjectHubs } from './project-hubs.ts';
import type { StreamPosition } from './stream-position.domain.ts';
import { StreamSession } from './stream-session.ts';

const projectId = newProjectId();
const clock = createTestClock();
const at = (position: number, logEpoch = 1): StreamPosition => ({ logEpoch, position, asOfMs: 0 });

let log: MemoryLog;
let hubs: ProjectHubs;

beforeEach(() => {
  log = createMemoryLog(projectId);
  for (let event = 0; event < 10; event += 1) log.append();
  hubs = createProjectHubs({
    log: log.client,
    sealPosition,
    limits: { entriesMax: 100, bytesMax: 100_000 },
    logger: testLogger,
    clock,
    bytesMax: 1_000_000,
    idleSweeps: 2,
  });
});

const open = (cursor: StreamPosition | null) =>
  openStream(
    only<StreamServices>({ hubs, session: sessionContext({ log: log.client }), clock }),
    projectId,
    cursor,
  );

/** What a connection is given after its checkpoint. */
async function follow(cursor: StreamPosition | null) {
  const { hub, after } = await open(cursor);
  const connection = new RecordedConnection();
  const context = sessionContext({
    log: log.client,
    pauseAfterFailure: async () => false,
    onClosed: (reason) => {
      given.closed = reason;
    },
  });
  const reader = { accountId: newAccountId(), secretDigest: '', clientAddress: '' };
  const session = new StreamSession(context, { reader, hub, after, types: null, connection });
  const given = { session, connection, closed: '' };
  session.sendPending();
  return given;
}

async function settled(): Promise<void> {
  for (let round = 0; round < 6; round += 1) await nextRound();
}

const idsIn = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id);

test('without a cursor a stream starts at the present end (Events: checkpoint) [events-checkpoint]', async () => {
  expect((await open(null)).after).toMatchObject({ logEpoch: 1, position: 10 });
});

test('with a cursor it starts there and never at the head, and everything after it follows (Events: checkpoint) [events-checkpoint]', async () => {
  expect((await open(at(7))).after).toEqual(at(7));

  const given = await follow(at(7));
  await settled();

  expect(idsIn(given.connection.text)).toEqual(['1.8', '1.9', '1.10']);
});

test('a cursor from before the kept log gets the start of it, and its stream ends (Events: recovery) [events-recovery, events-kept-log]', async () => {
  log.prune(5);

  const given = await follow(at(2));
  await settled();

  expect(given.connection.text).toBe(
    'event: stream.recovery_required\ndata: {"reason":"cursor_too_old","earliest_as_of":"2026-11-21T10:00:00.000Z","resume_cursor":"1.4"}\n\n',
  );
});

test('the position right before the kept log continues without recovery (Events: recovery) [events-recovery]', async () => {
  log.prune(5);

  const given = await follow(at(4));
  await settled();

  expect(idsIn(given.connection.text)).toEqual(['1.5', '1.6', '1.7', '1.8', '1.9', '1.10']);
});

test.each([
  ['of an epoch before the restore', at(3)],
  ['beyond the head of a restored log', at(9, 2)],
])(
  'a cursor %s gets recovery_required, and no event as if it were the next (Events: log_epoch_changed) [events-recovery]',
  async (_name, cursor) => {
    log.restore(6);

    const { recovery, after } = await open(cursor);

    expect(after).toEqual(cursor);
    expect(recovery).toContain('"reason":"log_epoch_changed"');
    expect(recovery).toContain('"resume_cursor":"2.0"');
  },
);

test('a cursor ahead of this replica continues when the log has its position', async () => {
  await hubs.openHub(projectId);
  log.append();
  log.append();

  const given = await follow(at(11));
  await settled();

  expect(idsIn(given.connection.text)).toEqual(['1.12']);
});

test('a restore under an open stream ends it with recovery (Events: log_epoch_changed)', async () => {
  const given = await follow(null);
  log.restore(6);

  await hubs.compareHeads();
  await settled();

  expect(given.connection.text).toMatch(/^event: stream.recovery_required\n/);
});

test('an event of a type that a later version appended is passed on byte for byte, announced or read from the log (Events: frames)', async () => {
  const record = (json: string) => {
    const position = log.events.length + 1;
    const { id, type, occurred_at } = JSON.parse(json);
    const event = eventText.parse({ id, type, occurred_at, refresh_id: null, json });
    log.events.push(event);
    return { position, event };
  };
  const textOf = (name: string) =>
    `{"10":{},"zulu":1,"type":"${name}","id":"evt_${newRefreshId()}","version":7,` +
    `"data":{"b":[{"y":1e+21,"a":"\\u001f"}],"a":null},"project_id":"${projectId}",` +
    '"occurred_at":"2026-11-21T10:00:00.000Z","links":{}}';
  const [logged, announced] = [textOf('inventory.later.logged'), textOf('inventory.later.sent')];
  record(logged);
  const given = await follow(at(10));
  await settled();
  hubs.appendEvent({ projectId, logEpoch: 1, ...record(announced), appendedAtMs: null });
  await settled();

  const sent = [...given.connection.text.matchAll(/^event: (.+)\nid: .+\ndata: (.+)$/gm)];
  expect(sent.map(([, name, data]) => [name, data])).toEqual([
    ['inventory.later.logged', logged],
    ['inventory.later.sent', announced],
  ]);
});

test('what was announced while a hub was opened is not lost', async () => {
  const opening = follow(at(10));
  const position = log.append();
  const [event] = log.events.slice(-1);
  if (event) hubs.appendEvent({ projectId, logEpoch: 1, position, event, appendedAtMs: null });

  const given = await opening;
  await settled();

  expect(idsIn(given.connection.text)).toEqual(['1.11']);
});

test('a stream whose log cannot be read is closed as unavailable after its tries (Events: stream.closing) [events-closing]', async () => {
  const { hub } = await open(null);
  log.failNext(5);
  hub.ring.trim();

  const given = await follow(at(2));
  await settled();

  expect(given.closed).toBe('unavailable');
  expect(given.connection.text).toContain('"reason":"unavailable"');
});

test('hubs without readers are deleted after their idle time, the others stay, and a clock that is set deletes none', async () => {
  const { session } = await follow(null);
  for (let sweep = 0; sweep < 5; sweep += 1) await hubs.compareHeads();
  expect(hubs.size).toBe(1);

  session.detach();
  clock.advance(24 * 3_600_000);
  for (let sweep = 0; sweep < 2; sweep += 1) await hubs.compareHeads();
  expect(hubs.size).toBe(1);
  await hubs.compareHeads();

  expect(hubs.size).toBe(0);
});
