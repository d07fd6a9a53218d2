import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyWebhook } from '@inventory/client/verify-webhook';
import { apiKey, failure, projectId, success } from '../../client/test/answers.ts';
import {
  type ReceivedRequest,
  type ScriptedServer,
  startScriptedServer,
} from '../../client/test/scripted-server.ts';
import {
  checkpoint,
  cursorOf,
  event,
  eventFrame,
  frame,
  type StreamServer,
  startStreamServer,
} from '../../client/test/stream-server.ts';
import { createUser, type Ended } from '../test/run-line.ts';
import { Interrupted } from './cli-process.ts';

let api: ScriptedServer;
let stream: StreamServer;
let receiver: ScriptedServer;
let user: ReturnType<typeof createUser>;
let stored: readonly number[];

beforeAll(async () => {
  [api, stream, receiver] = await Promise.all([
    startScriptedServer(),
    startStreamServer(),
    startScriptedServer(),
  ]);
});
afterAll(() => Promise.all([api.close(), stream.close(), receiver.close()]));
beforeEach(() => {
  user = createUser(() => api.url);
  stored = [];
  api.responds(({ path, query }) => {
    if (path === '/v2/account')
      return success({ account_id: 'a', credential: { project_id: projectId } });
    if (!path.endsWith('/events')) return failure(404, 'route_not_found');
    const after = Number(query.get('after')?.replace('cursor-', '') ?? 0);
    const items = stored
      .filter((serial) => serial > after)
      .map((serial) => ({ cursor: cursorOf(serial), event: event(serial) }));
    return success({ items, pagination: { has_more: false, next_cursor: null } });
  });
});
afterEach(() => user.remove());

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const line = () => ['listen', '--forward-to', `${receiver.url}/hook`];
const idsOf = (requests: readonly ReceivedRequest[]) =>
  requests.map(({ headers }) => headers['webhook-id']);
const storedFile = () => {
  const directory = join(user.home, '.local/state/inventory');
  const [name = 'none'] = readdirSync(directory);
  return join(directory, name);
};
const storedCursor = () => JSON.parse(readFileSync(storedFile(), 'utf8')).cursor;

/** Listens until the receiver has accepted so many events, and the position is stored. */
async function listenUntil(
  accepted: number,
  args: readonly string[] = [],
  statusOf: (request: ReceivedRequest, index: number) => number = () => 204,
  pauses: number[] = [],
): Promise<Ended> {
  const interruption = new AbortController();
  let done = 0;
  receiver.responds((request, index) => {
    if (done === accepted) {
      interruption.abort(new Interrupted(130));
      return { fault: 'silent' };
    }
    const status = statusOf(request, index);
    if (status >= 200 && status < 300) done += 1;
    return { status };
  });
  const environment = {
    INVENTORY_URL: api.url,
    INVENTORY_EVENTS_URL: stream.url,
    INVENTORY_API_KEY: apiKey,
    INVENTORY_WEBHOOK_SECRET: secret,
  };
  const { signal } = interruption;
  const pause = async (ms: number) => void pauses.push(ms);
  return await user.run([...line(), ...args], { environment, signal, pause });
}

const framesTo = (last: number, from = 1) =>
  Array.from({ length: last - from + 1 }, (_none, index) => eventFrame(from + index));

test('each event is posted as a webhook delivery, signed, in order; the position is that of the last accepted one (Events: webhooks)', async () => {
  stream.plays({ parts: [checkpoint('cursor-0'), ...framesTo(4)], end: 'silent' });

  const ended = await listenUntil(3, ['--json']);

  expect(ended.code).toBe(130);
  expect(idsOf(receiver.requests)).toEqual([1, 2, 3, 4].map((serial) => event(serial).id));
  const [first] = receiver.requests;
  expect(first).toMatchObject({
    ...{ method: 'POST', path: '/hook' },
    headers: {
      'content-type': 'application/json',
      'user-agent': 'game-item-inventory-webhooks/1',
      'webhook-timestamp': String(Date.parse('2026-01-01T00:00:05Z') / 1_000),
    },
  });
  const nowMs = Date.parse('2026-01-01T00:00:05.000Z');
  expect(verifyWebhook(first?.headers ?? {}, first?.body ?? '', secret, { nowMs })).toEqual(
    event(1),
  );
  expect(storedCursor()).toBe(cursorOf(3));
  expect(ended.out.split('\n').map((text) => text && JSON.parse(text))[0]).toEqual({
    event_id: event(1).id,
    type: 'inventory.refresh.completed',
    ...{ attempt: 1, answer: 204, retry_in_ms: null },
  });
  expect(JSON.stringify(ended)).not.toMatch(new RegExp(`${secret}|${apiKey}`));
});

test('one that is not accepted is posted again under its id, later each time up to 30 s, before those after it', async () => {
  stream.plays({ parts: [checkpoint('cursor-0'), ...framesTo(3)], end: 'silent' });
  const refusals = [500, 302, 401, 503, 404, 429, 410];
  const pauses: number[] = [];

  const { out } = await listenUntil(2, [], (_request, index) => refusals[index] ?? 200, pauses);

  const again = refusals.map(() => event(1).id);
  expect(idsOf(receiver.requests).slice(0, 9)).toEqual([...again, event(1).id, event(2).id]);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(out).toContain('302, again in 2 s\n');
});

test('the next start continues at the stored position, and what was not accepted comes again', async () => {
  stream.plays({ parts: [checkpoint('cursor-0'), ...framesTo(3)], end: 'silent' });
  await listenUntil(2);
  stream.plays({ parts: [checkpoint(cursorOf(2)), ...framesTo(5, 3)], end: 'silent' });

  await listenUntil(2);

  expect(stream.asked[0]?.lastEventId).toBe(cursorOf(2));
  expect(idsOf(receiver.requests)).toEqual([3, 4, 5].map((serial) => event(serial).id));
  expect(storedCursor()).toBe(cursorOf(4));
});

test('where the events after the position have expired, it says so, and the stored ones follow (Events: recovery)', async () => {
  stored = [7, 8];
  const gap = {
    reason: 'cursor_too_old',
    earliest_as_of: '2026-01-01T00:00:00.000Z',
    resume_cursor: 'cursor-6',
  };
  stream.plays(
    { parts: [checkpoint('cursor-1'), frame('stream.recovery_required', gap)] },
    { parts: [checkpoint(cursorOf(8)), ...framesTo(9, 9)], end: 'silent' },
  );

  const shown = await listenUntil(2, ['--from', 'cursor-1']);

  expect(idsOf(receiver.requests)).toEqual([7, 8, 9].map((serial) => event(serial).id));
  expect(shown.err).toContain(
    'stream.recovery_required: cursor_too_old. Events before 2026-01-01T00:00:00.000Z have expired.',
  );
  expect(stream.asked.map(({ lastEventId }) => lastEventId)).toEqual(['cursor-1', cursorOf(8)]);
});

test('from the oldest on every stored event comes again, and none between them and the stream is left out', async () => {
  stored = [1, 2];
  stream.plays({ parts: [checkpoint(cursorOf(2)), ...framesTo(4, 3)], end: 'silent' });

  await listenUntil(3, ['--from', 'oldest']);

  expect(idsOf(receiver.requests)).toEqual([1, 2, 3, 4].map((serial) => event(serial).id));
});

test.each([
  ['is cut', '{"cursor":"cursor-', /is not what this program writes/],
  ['has no cursor', '{"cursor":7}', /has no cursor: delete it, or give --from/],
])('a position that %s is a fault: nothing is skipped', async (_why, text, message) => {
  stream.plays({ parts: [checkpoint('cursor-0'), ...framesTo(2)], end: 'silent' });
  await listenUntil(1);
  writeFileSync(storedFile(), text);

  const ended = await listenUntil(0);

  expect(ended.code).toBe(2);
  expect(ended.err).toMatch(message);
  expect(receiver.requests).toEqual([]);
});

test.each([
  ['http://user:secret@localhost/', secret],
  ['http://localhost/', 'whsec_short'],
])(
  'a receiver %s or a secret that cannot be used is refused, and no secret is shown',
  async (url, signing) => {
    const environment = {
      INVENTORY_URL: api.url,
      INVENTORY_API_KEY: apiKey,
      INVENTORY_WEBHOOK_SECRET: signing,
    };

    const ended = await user.run(['listen', '--forward-to', url], { environment });

    expect(ended.code).toBe(2);
    expect(ended.err).not.toMatch(/secret@|whsec_short/);
  },
);

test('events are listed, with the cursor to read on from, and followed with --follow', async () => {
  stored = [1, 2];
  const listed = await user.run(['events', '--from', cursorOf(1), '--json']);
  const shown = await user.run(['events']);
  stream.plays({
    parts: [
      checkpoint(cursorOf(2)),
      ...framesTo(3, 3),
      frame('stream.authorization_revoked', { reason: 'credential_revoked' }),
    ],
  });
  const environment = {
    INVENTORY_URL: api.url,
    INVENTORY_EVENTS_URL: stream.url,
    INVENTORY_API_KEY: apiKey,
  };
  const followed = await user.run(['events', '--follow', '--json'], { environment });

  expect(JSON.parse(listed.out)).toEqual({ cursor: cursorOf(2), event: event(2) });
  expect(shown.out.split('\n')[0]).toContain('inventory.refresh.completed  complete_changed');
  expect(shown.err).toBe(`To read on from here: --from ${cursorOf(2)}\n`);
  expect(JSON.parse(followed.out)).toEqual({ cursor: cursorOf(3), event: event(3) });
  expect([listed.code, followed.code]).toEqual([0, 1]);
  expect(followed.err).toContain('credential_revoked');
});
