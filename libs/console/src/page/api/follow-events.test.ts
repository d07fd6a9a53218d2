import { type BrowserEnvironment, createApi } from './call-api.ts';
import { backoffMs, type StreamState, streamEvents } from './follow-events.ts';
import { createOperations } from './operations.ts';

const project = 'prj_1';
const checkpoint = (id: string) => frame('checkpoint', { as_of: '2026-01-15T10:00:00.000Z' }, id);
const completed = (id: string, cursor: string) =>
  frame('inventory.refresh.completed', { id, type: 'inventory.refresh.completed' }, cursor);

function frame(type: string, data: object, id?: string): string {
  return `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

const stream = (...frames: string[]) =>
  new Response(frames.join(''), { headers: { 'Content-Type': 'text/event-stream' } });
const refused = (status: number, code: string, headers = {}) =>
  Response.json({ error: { code, message: code, request_id: 'req_1' } }, { status, headers });

/** Follows these connections, and what the list has; ends with the last of them. */
async function following(responses: readonly Response[], list: readonly object[] = []) {
  const leaving = new AbortController();
  const asked: { path: string; lastEventId: string | null }[] = [];
  const pauses: number[] = [];
  const states: StreamState[] = [];
  const events: string[] = [];
  const left = [...responses];
  const environment: BrowserEnvironment = {
    fetch: async (address, init) => {
      const path = String(address);
      asked.push({ path, lastEventId: new Headers(init?.headers).get('last-event-id') });
      if (path.includes('/events?')) {
        const data = { items: list, pagination: { has_more: false, next_cursor: null } };
        return Response.json({ data, meta: {} });
      }
      const response = left.shift();
      if (response !== undefined) return response;
      leaving.abort();
      throw new TypeError('fetch failed');
    },
    nowMs: () => 0,
    chance: () => 0,
    newKey: () => 'key',
    pause: async (ms) => void pauses.push(ms),
  };
  const api = createApi('key', environment);
  await streamEvents({
    api,
    operations: createOperations(api, project),
    project,
    signal: leaving.signal,
    onState: (state) => states.push(state),
    onEvent: ({ id }) => events.push(id),
  });
  return { asked, pauses, states: states.map(({ state }) => state), events };
}

test('a connection that is cut continues at the cursor of the last event applied, each event once', async () => {
  const { asked, events, states } = await following([
    stream(checkpoint('c0'), completed('evt_1', 'c1'), 'event: inventory.refr'),
    stream(checkpoint('c1'), completed('evt_1', 'c1'), completed('evt_2', 'c2')),
  ]);

  expect(events).toEqual(['evt_1', 'evt_2']);
  expect(asked.map(({ lastEventId }) => lastEventId)).toEqual([null, 'c1', 'c2']);
  expect(states).toEqual(['connecting', 'live', 'reconnecting', 'live', 'reconnecting']);
});

test('the delay of stream.closing and of Retry-After is kept; without one it grows', async () => {
  const { pauses } = await following([
    stream(checkpoint('c0'), frame('stream.closing', { reason: 'max_age', retry_after_ms: 4_000 })),
    refused(429, 'stream_limit_exceeded', { 'Retry-After': '9' }),
    refused(502, 'http_502'),
    refused(502, 'http_502'),
  ]);

  expect(pauses).toEqual([4_000, 9_000, backoffMs(2, 0), backoffMs(3, 0)]);
  expect(backoffMs(3, 0)).toBeGreaterThan(backoffMs(2, 0));
  expect(backoffMs(50, 1)).toBe(30_000);
});

test('what has expired on the stream is read from the list, and the stream continues after it', async () => {
  const recovery = { reason: 'cursor_too_old', earliest_as_of: null, resume_cursor: 'c5' };
  const { asked, events } = await following(
    [stream(checkpoint('c0'), frame('stream.recovery_required', recovery)), stream()],
    [{ cursor: 'c6', event: { id: 'evt_6' } }],
  );

  expect(events).toEqual(['evt_6']);
  expect(asked.map(({ path }) => path)[1]).toContain('after=c5');
  expect(asked[2]?.lastEventId).toBe('c6');
});

test.each([
  ['a refusal', refused(403, 'permission_denied')],
  [
    'stream.authorization_revoked',
    stream(
      checkpoint('c0'),
      frame('stream.authorization_revoked', { reason: 'credential_revoked' }),
    ),
  ],
])('%s ends it: the key is not tried again', async (_name, response) => {
  const { asked, states } = await following([response]);

  expect(states.at(-1)).toBe('ended');
  expect(asked).toHaveLength(1);
});
