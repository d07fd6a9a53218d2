import { apiKey, projectId, success } from '../test/answers.ts';
import { type ScriptedServer, startScriptedServer } from '../test/scripted-server.ts';
import { cursorOf, event } from '../test/stream-server.ts';
import { createTestClientEnvironment } from '../test/test-client-environment.ts';
import { createInventoryClient } from './inventory-client.ts';

let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

const page = (serials: number[], next: string | null) =>
  success({
    items: serials.map((serial) => ({ cursor: cursorOf(serial), event: event(serial) })),
    pagination: { has_more: next !== null, next_cursor: next },
  });

test('all stored events are read in order, page by page, after a cursor', async () => {
  const client = createInventoryClient(
    { baseUrl: server.url, apiKey },
    createTestClientEnvironment(),
  );
  server.plays(page([1, 2], cursorOf(2)), page([3], null));
  const cursors: string[] = [];

  for await (const { cursor } of client.events(projectId, { after: cursorOf(0), limit: 2 })) {
    cursors.push(cursor);
  }

  expect(cursors).toEqual([1, 2, 3].map(cursorOf));
  expect(server.requests.map(({ path, query }) => `${path}?${query}`)).toEqual([
    `/v2/projects/${projectId}/events?after=cursor-0&limit=2`,
    `/v2/projects/${projectId}/events?after=cursor-2&limit=2`,
  ]);
});
