import { apiKey, projectId, scope, success } from '../test/answers.ts';
import { type ScriptedServer, startScriptedServer } from '../test/scripted-server.ts';
import { createTestClientEnvironment } from '../test/test-client-environment.ts';
import { UnexpectedAnswerError } from './errors.ts';
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
  expect(server.requests.map(({ method, path: asked }) => `${method} ${asked}`)).toEqual([
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

test('watches and runs are read page by page, with their filters (Watches) [watches]', async () => {
  const page = (items: object[], next_cursor: string | null) =>
    success({ items, pagination: { has_more: next_cursor !== null, next_cursor } });
  const ids: unknown[] = [];

  server.plays(page([{ watch_id: 1 }], 'next'), page([{ watch_id: 2 }], null), page([], null));
  for await (const one of client.watches(projectId, { state: 'paused', limit: 1 })) {
    ids.push(one.watch_id);
  }
  for await (const run of client.watchRuns(projectId, scope, { charged: true })) ids.push(run);

  expect(ids).toEqual([1, 2]);
  expect(server.requests.map(({ path: asked, query }) => `${asked}?${query}`)).toEqual([
    `/v2/projects/${projectId}/watches?state=paused&limit=1`,
    `/v2/projects/${projectId}/watches?state=paused&limit=1&cursor=next`,
    `${path}/runs?charged=true`,
  ]);
});

test('a wrong period is refused before anything is sent, and an answer that is no watch', async () => {
  server.plays(success({ other: 1 }));
  await expect(client.watch(projectId, scope, { everySeconds: 299 })).rejects.toThrow(TypeError);
  expect(server.requests).toEqual([]);
  await expect(client.readWatch(projectId, scope)).rejects.toThrow(UnexpectedAnswerError);
});
