import { waitFor } from '@inventory/testkit/wait-for';
import { apiKey, failure, projectId } from '../test/answers.ts';
import {
  checkpoint,
  cursorOf,
  event,
  eventFrame,
  frame,
  type StreamServer,
  startStreamServer,
} from '../test/stream-server.ts';
import {
  createTestClientEnvironment,
  type TestClientEnvironment,
} from '../test/test-client-environment.ts';
import {
  AuthenticationError,
  AuthorizationRevokedError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  UnexpectedAnswerError,
} from './errors.ts';
import { createInventoryClient } from './inventory-client.ts';
import type { FollowEventsOptions, Interruption } from './options.ts';

let server: StreamServer;

beforeAll(async () => {
  server = await startStreamServer();
});
afterAll(() => server.close());

const done = new Error('enough was read');

interface Followed {
  readonly applied: readonly string[];
  readonly stored: readonly string[];
  readonly interruptions: readonly Interruption[];
  readonly environment: TestClientEnvironment;
  readonly error: unknown;
}

/** Follows until so many events were applied, or until it ends by itself. */
async function follow(
  enough: number,
  options: Partial<FollowEventsOptions> = {},
  environment = createTestClientEnvironment(),
  urls: { baseUrl: string; eventsUrl?: string } = { baseUrl: server.url },
): Promise<Followed> {
  const client = createInventoryClient({ ...urls, apiKey }, environment);
  const applied: string[] = [];
  const stored: string[] = [];
  const interruptions: Interruption[] = [];
  const stop = new AbortController();
  const error = await client
    .followEvents(projectId, {
      signal: stop.signal,
      onEvent: ({ id }) => void applied.push(id),
      onProgress: (cursor) => {
        stored.push(cursor);
        if (applied.length >= enough) stop.abort(done);
      },
      onInterruption: (one) => void interruptions.push(one),
      ...options,
    })
    .catch((thrown: unknown) => thrown);
  return { applied, stored, interruptions, environment, error };
}

const idsOf = (...serials: number[]) => serials.map((serial) => event(serial).id);
const closing = (reason: string, retryAfterMs: number) =>
  frame('stream.closing', { reason, retry_after_ms: retryAfterMs });

test('the stream is read from its own origin where it has one, and the key is sent to no other (Stream origin)', async () => {
  server.plays({ parts: [checkpoint('start'), eventFrame(1)], end: 'silent' });
  const urls = { baseUrl: 'https://api.invalid', eventsUrl: server.url };

  const { applied } = await follow(1, {}, createTestClientEnvironment(), urls);

  expect(applied).toEqual(idsOf(1));
  expect(server.asked).toHaveLength(1);
});

test('events are applied one after the other, each before its position is stored (Events: rule 4) [events-applied-once]', async () => {
  server.plays({ parts: [checkpoint('start'), eventFrame(1), eventFrame(2)], end: 'silent' });
  const order: string[] = [];

  await follow(9, {
    onEvent: async ({ id }) => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(id);
    },
    onProgress: (cursor) => {
      order.push(cursor);
      if (cursor === cursorOf(2)) throw done;
    },
  });

  expect(order).toEqual(['start', event(1).id, cursorOf(1), event(2).id, cursorOf(2)]);
  expect(server.asked[0]).toMatchObject({
    path: `/v2/projects/${projectId}/events/stream`,
    lastEventId: undefined,
    headers: { accept: 'text/event-stream', 'x-api-key': apiKey },
  });
});

test('after any end of a connection the next one continues after the last applied event (Events: rule 7) [events-applied-once]', async () => {
  server.plays(
    { parts: [checkpoint('start'), eventFrame(1)], end: 'eof' },
    { parts: [checkpoint(cursorOf(1)), eventFrame(2), eventFrame(3).slice(0, -9)], end: 'cut' },
    { parts: [checkpoint(cursorOf(2)), ':\n\n', eventFrame(3)], end: 'silent' },
  );

  const { applied, error } = await follow(3);

  expect(applied).toEqual(idsOf(1, 2, 3));
  expect(server.asked.map(({ lastEventId }) => lastEventId)).toEqual([
    undefined,
    cursorOf(1),
    cursorOf(2),
  ]);
  expect(error).toBe(done);
});

test('the checkpoint is the position before the first event', async () => {
  server.plays({ parts: [checkpoint('start')] }, { parts: [checkpoint('start'), eventFrame(1)] });

  const { stored } = await follow(1);

  expect(stored).toEqual(['start', cursorOf(1)]);
  expect(server.asked[1]?.lastEventId).toBe('start');
});

test('a redelivered event is applied once, and its position is stored (Events: rule 5) [events-applied-once]', async () => {
  const again = frame('inventory.refresh.completed', event(1), cursorOf(2));
  server.plays({ parts: [checkpoint('start'), eventFrame(1), again, eventFrame(3)] });

  const { applied, stored } = await follow(2);

  expect(applied).toEqual(idsOf(1, 3));
  expect(stored).toEqual(['start', cursorOf(1), cursorOf(2), cursorOf(3)]);
});

test('after stream.closing the client waits for its delay, at most a minute, plus jitter [events-closing]', async () => {
  const start = checkpoint('start');
  server.plays(
    { parts: [start, closing('draining', 7_000)] },
    { parts: [start, closing('max_age', 86_400_000)] },
    { parts: [start, eventFrame(1)] },
  );

  const { environment, interruptions } = await follow(1, {}, createTestClientEnvironment(0.5));

  expect(environment.waits).toEqual([7_000 * 1.125, 60_000 + 2_500]);
  expect(interruptions.map(({ reason }) => reason)).toEqual(['draining', 'max_age']);
});

test.each([
  [401, 'invalid_api_key', AuthenticationError],
  [403, 'permission_denied', PermissionError],
  [404, 'project_not_found', NotFoundError],
  [422, 'invalid_cursor', InvalidRequestError],
])(
  'a refusal with %i %s ends the reading: the same key would be refused again',
  async (status, code, type) => {
    server.plays({
      status,
      headers: { 'content-type': 'application/json' },
      parts: [JSON.stringify(failure(status, code).body)],
    });

    const { error } = await follow(1);

    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ code, status });
    expect(server.asked).toHaveLength(1);
  },
);

test('stream.authorization_revoked rejects with its reason [events-revoked]', async () => {
  const revoked = frame('stream.authorization_revoked', { reason: 'events_not_enabled' });
  server.plays({ parts: [checkpoint('start'), eventFrame(1), revoked] });

  const { error, applied } = await follow(9);

  expect(error).toBeInstanceOf(AuthorizationRevokedError);
  expect(error).toMatchObject({ reason: 'events_not_enabled', retryable: false });
  expect(applied).toEqual(idsOf(1));
  expect(server.asked).toHaveLength(1);
});

test('a connection without data is closed, one with keep-alives only is not', async () => {
  const start = checkpoint('start');
  server.plays({ parts: [start], end: 'silent' }, { parts: [start, ':\n\n', eventFrame(1)] });

  const environment = createTestClientEnvironment();
  const stop = new AbortController();
  // Every wait for bytes so far has ended with some; the one that starts now will not.
  const onProgress = (cursor: string) =>
    cursor === 'start' ? environment.endNextTimer() : stop.abort(done);

  const { interruptions, applied } = await follow(
    1,
    { silenceMaxMs: 1_000, signal: stop.signal, onProgress },
    environment,
  );

  expect(interruptions.map(({ reason }) => reason)).toEqual(['ConnectionError']);
  expect(applied).toEqual(idsOf(1));
  expect(new Set(environment.timers)).toEqual(new Set([1_000]));
  expect(environment.runningTimers()).toBe(0);
});

test('a slow callback does not count as silence', async () => {
  server.plays({ parts: [checkpoint('start'), eventFrame(1)], end: 'silent' });
  const environment = createTestClientEnvironment();
  let runningMeanwhile: number | undefined;

  await follow(
    1,
    {
      onEvent: () => {
        runningMeanwhile = environment.runningTimers();
        throw done;
      },
    },
    environment,
  );

  expect(runningMeanwhile).toBe(0);
});

test.each([
  ['no JSON', 'event: inventory.refresh.completed\nid: c\ndata: {\n\n'],
  ['another type', frame('other.type', event(1), 'c')],
  ['another Project', frame('inventory.refresh.completed', event(1, { project_id: 'prj_x' }), 'c')],
  ['no event id', frame('inventory.refresh.completed', event(1, { id: 'x' }), 'c')],
  ['no cursor', frame('inventory.refresh.completed', event(1))],
  ['a cursor that makes no header', frame('inventory.refresh.completed', event(1), 'c d')],
  ['an oversized frame', `data: ${'x'.repeat(300_000)}\n\n`],
  ['an endless line', `data: ${'x'.repeat(300_000)}`],
])(
  'a frame with %s is not applied, and read five times before it is reported',
  async (_name, broken) => {
    server.plays({ parts: [checkpoint('start'), broken, eventFrame(2)] });

    const { error, applied, stored } = await follow(1);

    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(applied).toEqual([]);
    expect(stored).toEqual(['start']);
    expect(server.asked).toHaveLength(6);
  },
);

test('unknown control frames and event types are ignored [events-control-frames]', async () => {
  const added = event(1, { type: 'inventory.added.later', data: {} });
  server.plays({
    parts: [
      checkpoint('start'),
      frame('stream.added_later', {}),
      frame('inventory.added.later', added, cursorOf(1)),
      eventFrame(2),
    ],
  });

  expect((await follow(2)).applied).toEqual(idsOf(1, 2));
});

test('an abort rejects at once, with its reason, and closes the connection', async () => {
  server.plays({ parts: [checkpoint('start'), eventFrame(1)], end: 'silent' });

  const { error } = await follow(1);

  expect(error).toBe(done);
  await waitFor('the connection is closed', () => server.open() === 0);
});

test('a cursor that is no valid header is a TypeError', async () => {
  const { error } = await follow(1, { lastEventId: 'a\r\nb' });

  expect(error).toBeInstanceOf(TypeError);
});

test('no error contains the key', async () => {
  const { body } = failure(401, 'invalid_api_key');
  server.plays({
    status: 401,
    headers: { 'content-type': 'application/json' },
    parts: [JSON.stringify(body).replace('It is', `It is ${apiKey}`)],
  });

  const { error } = await follow(1);

  expect(`${error}`).toContain('[key]');
  expect(JSON.stringify(error)).not.toContain(apiKey);
});
