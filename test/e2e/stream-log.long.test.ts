import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@inventory/testkit/wait-for';
import { machineEnvironment } from '../support/start-command.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { readProjectLog } from './support/project-log.ts';
import { sizeScope } from './support/simulator-control.ts';
import { startFollower } from './support/stream-follower.ts';
import { openReader, type StreamReader } from './support/stream-reader.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** What the kernels at both ends take for a reader that does not read is about 4 MB, 8,000 events. */
const backlog = 16_000;
const slowClosedMs = 30_000;
const scopes = ['*', 'customer.events.read.v1'];
let stack: TestStack;
let serial = 0;

beforeAll(async () => {
  stack = await openTestStack({
    serviceEnvironment: { 'event-stream': { LOG_KEEP_MS: '3000', LOG_PRUNE_EVERY_MS: '500' } },
  });
});
afterAll(() => stack?.close());

async function newCustomer(): Promise<Customer> {
  const { accountId, projectId } = await stack.operator.newCustomer();
  await stack.operator.switchEvents(accountId, true);
  const credential = await stack.operator.newCredential(projectId, { scopes });
  return { accountId, projectId, ...credential };
}

function open({ projectId, secret }: Customer, lastEventId?: string): Promise<StreamReader> {
  return openReader({ gatewayUrl: stack.gatewayUrl, projectId, apiKey: secret, lastEventId });
}

async function refreshed({ api, projectId }: Customer, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    serial += 1;
    const id = await api.accepted(sizeScope(3, serial));
    await untilCompleted(api, projectId, [id]);
  }
}

/**
 * More events than any refreshes could make here, each a copy of the newest; none is ever pruned. They
 * are dated in the future, which the sweep does not read: the next event announces them.
 */
async function fillLog(projectId: string): Promise<void> {
  interface Entry {
    readonly _id: string;
    readonly position: number;
    readonly event: { readonly id: string; readonly json: string };
  }
  const records = await stack.recordsOf('event-stream');
  const log = records.collection<Entry>('projectLog');
  const newest = await log.find({ projectId } as object, { sort: { _id: -1 } }).next();
  if (newest === null) throw new Error('the log has no event to copy');
  const startMs = Date.now() + 3_600_000;
  const entries = Array.from({ length: backlog - 1 }, (_none, index) => {
    const position = newest.position + index + 1;
    const eventId = `evt_${projectId.slice(4, 28)}${String(position).padStart(12, '0')}`;
    const _id = `${projectId}/${String(position).padStart(12, '0')}`;
    return {
      ...newest,
      _id,
      position,
      event: {
        ...newest.event,
        id: eventId,
        json: JSON.stringify({ ...JSON.parse(newest.event.json), id: eventId }),
      },
      // The sweep of lost announcements reads the log by time: no log has thousands in a millisecond.
      appendedAtMs: startMs + index,
    };
  });
  for (let from = 0; from < entries.length; from += 2_000) {
    await log.insertMany(entries.slice(from, from + 2_000));
  }
}

const idsIn = (reader: StreamReader) =>
  reader.frames
    .filter(({ event }) => event === 'inventory.refresh.completed')
    .map(({ data }): string => JSON.parse(data).id);

test('clients that stop reading are cut off within 30 s, slow no other client, and miss nothing when they reconnect (Events: slow consumer) [events-slow-consumer]', async () => {
  const [crowded, other] = [await newCustomer(), await newCustomer()];
  await refreshed(crowded, 1);
  const slow = await Promise.all([1, 2, 3].map(() => open(crowded)));
  const starts = await Promise.all(slow.map((reader) => reader.frame('checkpoint')));
  const [healthy, elsewhere] = [await open(crowded), await open(other)];
  for (const reader of slow) reader.pause();

  await fillLog(crowded.projectId);
  await refreshed(crowded, 1);
  const given = await healthy.events(backlog);
  const startMs = performance.now();
  const full = await open(crowded, starts[0]?.id);
  expect(full.status).toBe(429);
  await refreshed(other, 1);
  await elsewhere.events(1);
  await waitFor(
    'the slots of those that do not read are free',
    async () => {
      const readers = await Promise.all([1, 2, 3].map(() => open(crowded)));
      for (const reader of readers) reader.cut();
      return readers.every(({ status }) => status === 200);
    },
    { withinMs: slowClosedMs + 10_000, everyMs: 500 },
  );
  const tookMs = performance.now() - startMs;
  expect(tookMs).toBeLessThanOrEqual(slowClosedMs);

  const stored = (await readProjectLog(stack, crowded.projectId)).slice(-backlog);
  const ids = stored.map(({ eventId }) => eventId);
  expect(given.map(({ data }) => JSON.parse(data).id)).toEqual(ids);
  const [first] = slow;
  first?.resume();
  await waitFor('what had been sent is read', () => first?.ended());
  const last = first?.frames.findLast(({ id }) => id !== undefined)?.id;
  const before = first ? idsIn(first) : [];
  const again = await open(crowded, last);
  await again.events(backlog - before.length);
  expect(before.length).toBeLessThan(backlog);
  expect([...before, ...idsIn(again)]).toEqual(ids);
  for (const reader of [...slow, healthy, elsewhere, again]) reader.cut();
});

test('of an idle Project whose log was pruned the newest event stays: old cursors are answered with the gap, the newest resumes (Events: recovery)', async () => {
  const idle = await newCustomer();
  const start = await open(idle);
  const { id: beginning = '' } = await start.frame('checkpoint');
  await refreshed(idle, 3);
  const frames = await start.events(3);
  start.cut();
  await waitFor('only the newest event is kept', async () => {
    return (await readProjectLog(stack, idle.projectId)).length === 1;
  });
  const newest = frames.at(-1);
  // A gateway that followed the Project a moment ago could still give what was pruned.
  await stack.service('gateway').restart();

  const old = await open(idle, beginning);
  const recovery = await old.frame('stream.recovery_required');
  await waitFor('the stream ends', () => old.ended());
  const listed = await idle.api.call({
    path: `/v2/projects/${idle.projectId}/events?after=${beginning}`,
  });
  const current = await open(idle, newest?.id);
  const gaps: string[] = [];
  const follower = startFollower({
    url: stack.gatewayUrl,
    projectId: idle.projectId,
    apiKey: idle.secret,
    lastEventId: beginning,
    onGap: () => void gaps.push('gap'),
  });

  expect(old.frames.map(({ event, id }) => [event, id])).toEqual([
    ['checkpoint', beginning],
    ['stream.recovery_required', undefined],
  ]);
  expect(JSON.parse(recovery.data)).toMatchObject({ reason: 'cursor_too_old' });
  expect([listed.status, listed.json.error.code]).toEqual([410, 'cursor_expired']);
  await waitFor(
    'the reader that comes back has what was kept',
    () => follower.applied.length === 1,
  );
  await refreshed(idle, 1);
  const [next] = await current.events(1);
  await waitFor('the reader that recovered has both', () => follower.applied.length === 2);
  const kept = [newest, next].map((frame) => JSON.parse(frame?.data ?? '').id);
  expect(follower.applied.map(({ event }) => event.id)).toEqual(kept);
  expect(gaps).toEqual(['gap']);
  expect(follower.failure()).toBeUndefined();
  await follower.stop();
  current.cut();
});

test('the reader of docs/customers/events.md prints what happened while it was down, begins again with what its handler failed on, and stops when it is refused (Events)', async () => {
  const customer = await newCustomer();
  const [, example = ''] =
    /<!-- example:read -->\n```js\n([\s\S]*?)^```$/m.exec(
      readFileSync(join(__dirname, '../../docs/customers/events.md'), 'utf8'),
    ) ?? [];
  const file = join(stack.folder, 'reader.js');
  writeFileSync(file, example);
  const env = {
    ...machineEnvironment(),
    NODE_PATH: join(__dirname, '../../node_modules'),
    EVENTS_ORIGIN: stack.gatewayUrl,
    INVENTORY_API_KEY: customer.secret,
    INVENTORY_PROJECT: customer.projectId,
    CURSOR_FILE: join(stack.folder, 'cursor'),
  };
  // A handler that fails after a while.
  const failing = join(stack.folder, 'failing-reader.js');
  const handler = /^async function apply\(event\) \{$/m;
  expect(example).toMatch(handler);
  writeFileSync(
    failing,
    example.replace(handler, "$&\n  await wait(10);\n  throw new Error('not applied');"),
  );
  const start = (program = file) => {
    const printed: string[] = [];
    const reader = spawn(process.execPath, [program], { env });
    for (const stream of [reader.stdout, reader.stderr]) {
      stream.on('data', (part) => printed.push(String(part)));
    }
    return { reader, text: () => printed.join(''), closed: once(reader, 'close') };
  };

  const first = start();
  await waitFor('it has a position', () => existsSync(env.CURSOR_FILE));
  first.reader.kill('SIGKILL');
  await first.closed;
  await refreshed(customer, 2);
  const broken = start(failing);
  expect(await broken.closed).toEqual([1, null]);
  expect(broken.text()).toBe('not applied\n');
  const second = start();
  await waitFor('it prints the events', () => second.text().split('\n').length > 2);
  await stack.operator.revoke(customer.credentialId);
  const [code] = await second.closed;

  expect(first.text()).toBe('');
  expect(second.text()).toMatch(
    /^(inventory\.refresh\.completed [0-9a-f-]{36} complete_\w+\n){2}credential_revoked\n$/,
  );
  expect(code).toBe(1);
});
