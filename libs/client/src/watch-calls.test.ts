import { watchBatchBody } from '@inventory/contracts/http/watches';
import { apiKey, projectId, scope, success } from '../test/answers.ts';
import { type ScriptedServer, startScriptedServer } from '../test/scripted-server.ts';
import { createTestClientEnvironment } from '../test/test-client-environment.ts';
import { LimitExceededError, UnexpectedAnswerError } from './errors.ts';
import { createInventoryClient, type InventoryClient } from './inventory-client.ts';

let server: ScriptedServer;
let client: InventoryClient;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  client = createInventoryClient({ baseUrl: server.url, apiKey }, createTestClientEnvironment());
});

const path = `/v2/projects/${projectId}/watches/76100000000000001/730/2`;
const watch_id = 'wat_0197a4b0-0000-7000-8000-000000000005';

test('a watch is put, read and deleted as the interface defines (Watches) [watches]', async () => {
  server.plays(success({ watch_id, deleted: true }));

  const made = await client.watch(projectId, scope, {
    everySeconds: 3_600,
    language: 'german',
    maxCreditsPerDay: 500,
    dryRun: true,
  });
  await client.readWatch(projectId, scope);
  await client.deleteWatch(projectId, scope);

  expect(made.watch_id).toBe(watch_id);
  expect(server.requests.map(({ method, path: requested }) => `${method} ${requested}`)).toEqual([
    `PUT ${path}`,
    `GET ${path}`,
    `DELETE ${path}`,
  ]);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    every_seconds: 3_600,
    language: 'german',
    max_credits_per_day: 500,
    dry_run: true,
  });
});

test('a batch of watches has a result for each, in order, as the interface defines (Watches) [watches]', async () => {
  const error = { code: 'watch_limit_exceeded', message: 'Too many.', detail: { limit: 3 } };
  const items = [
    { success: true, status: 201, data: { watch_id, scope } },
    { success: false, status: 429, error },
  ];
  server.plays(success({ items }), success({ items }));
  const wanted = [
    { scope, everySeconds: 300, maxCreditsPerDay: 500 },
    { scope, everySeconds: 600, language: 'german' },
  ];

  const [made, refused] = await client.watchBatch(projectId, wanted, { dryRun: true });

  const { method, path: requested, body = '' } = server.requests[0] ?? {};
  expect([method, requested]).toEqual(['POST', `/v2/projects/${projectId}/watches/batch`]);
  expect(JSON.parse(body)).toEqual({
    items: [
      { ...scope, every_seconds: 300, max_credits_per_day: 500 },
      { ...scope, every_seconds: 600, language: 'german' },
    ],
    dry_run: true,
  });
  expect(watchBatchBody.safeParse(JSON.parse(body)).success).toBe(true);
  expect(made).toEqual({ accepted: true, watch: { watch_id, scope } });
  expect(refused).toMatchObject({ accepted: false, error: { status: 429, detail: { limit: 3 } } });
  expect(refused).toHaveProperty('error', expect.any(LimitExceededError));
  await expect(client.watchBatch(projectId, wanted.slice(1))).rejects.toThrow(
    UnexpectedAnswerError,
  );
});

test.each<[string, object | null, RegExp]>([
  ['a wrong period', { scope, everySeconds: 299 }, /everySeconds/],
  ['no period', { scope }, /everySeconds/],
  [
    'another inventory than there can be',
    { scope: { ...scope, app_id: 0 }, everySeconds: 300 },
    /app_id/,
  ],
  ['a misspelt option', { scope, everySeconds: 300, langauge: 'german' }, /langauge/],
  ['nothing', null, /everySeconds/],
])(
  'a watch of a batch with %s is not sent, and is a result of its own beside the others (Watches) [watches]',
  async (_what, wrong, reason) => {
    server.plays(success({ items: [{ success: true, status: 200, data: { watch_id, scope } }] }));
    const items = [wrong as never, { scope, everySeconds: 300 }, wrong as never];

    const results = await client.watchBatch(projectId, items);
    const none = await client.watchBatch(projectId, [wrong as never]);

    expect(results.map(({ accepted }) => accepted)).toEqual([false, true, false]);
    const errors = [...results, ...none].flatMap((one) => (one.accepted ? [] : [one.error]));
    expect(errors).toHaveLength(3);
    for (const { code, message } of errors) {
      expect([code, message]).toEqual(['invalid_request', expect.stringMatching(reason)]);
    }
    expect(server.requests.map(({ body }) => JSON.parse(body).items.length)).toEqual([1]);
  },
);

test('a sample of the event is requested, and named by its id (Watches) [watches]', async () => {
  const sample = { event_id: 'evt_0197a4b0-0000-7000-8000-000000000006', endpoints: [] };
  server.plays(success(sample, { status: 202 }), success({}));

  expect(await client.testWatches(projectId)).toEqual(sample);

  const { method, path: requested, body } = server.requests[0] ?? {};
  expect([method, requested, body]).toEqual(['POST', `/v2/projects/${projectId}/watches/test`, '']);
  await expect(client.testWatches(projectId)).rejects.toThrow(UnexpectedAnswerError);
});

test('watches and runs are read page by page, with their filters (Watches) [watches]', async () => {
  const page = (items: object[], next_cursor: string | null) =>
    success({ items, pagination: { has_more: next_cursor !== null, next_cursor } });
  const ids: unknown[] = [];

  server.plays(page([{ watch_id: 1 }], 'next'), page([{ watch_id: 2 }], null), page([], null));
  for await (const one of client.watches(projectId, { state: 'paused', limit: 1 })) {
    ids.push(one.watch_id);
  }
  for (const charged of [true, false, undefined]) {
    for await (const run of client.watchRuns(projectId, scope, { charged })) ids.push(run);
  }

  expect(ids).toEqual([1, 2]);
  expect(server.requests.map(({ path: requested, query }) => `${requested}?${query}`)).toEqual([
    `/v2/projects/${projectId}/watches?state=paused&limit=1`,
    `/v2/projects/${projectId}/watches?state=paused&limit=1&cursor=next`,
    `${path}/runs?charged=true`,
    `${path}/runs?charged=false`,
    `${path}/runs?`,
  ]);
});

test('a wrong period is refused before anything is sent, and a response that is not a watch', async () => {
  server.plays(success({ other: 1 }));
  await expect(client.watch(projectId, scope, { everySeconds: 299 })).rejects.toThrow(TypeError);
  expect(server.requests).toEqual([]);
  await expect(client.readWatch(projectId, scope)).rejects.toThrow(UnexpectedAnswerError);
});
