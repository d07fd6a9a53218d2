import { apiKey, asset, changesData, failure, scope, success } from '../test/answers.ts';
import { type ScriptedServer, startScriptedServer } from '../test/scripted-server.ts';
import { createTestClientEnvironment } from '../test/test-client-environment.ts';
import { CursorExpiredError, UnexpectedAnswerError } from './errors.ts';
import { createInventoryClient, type InventoryClient } from './inventory-client.ts';

const since = 'invrev_0197a4b0-0000-7000-8000-00000000000a';
let server: ScriptedServer;
let client: InventoryClient;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  client = createInventoryClient({ baseUrl: server.url, apiKey }, createTestClientEnvironment());
});

test('changes are read page by page to their end, each page paid once', async () => {
  server.responds(({ query }, index) => {
    if (index === 1) return { fault: 'refused' };
    return success(changesData(3, 2, Number(query.get('cursor')?.replace('from-', '') ?? 0)));
  });

  const added: string[] = [];
  for await (const { page } of client.changes(scope, since, { language: 'german', pageSize: 2 })) {
    added.push(...page.added.map(({ assetid }) => assetid));
    expect(page.counts).toEqual({ added: 3, removed: 0, changed: 0 });
  }

  expect(added).toEqual([0, 1, 2].map((serial) => asset(serial).assetid));
  const first = `since=${since}&language=german&page_size=2`;
  expect(server.requests.map(({ query }) => `${query}`)).toEqual([
    first,
    `${first}&cursor=from-2`,
    `${first}&cursor=from-2`,
  ]);
  expect(server.requests[0]?.path).toBe(
    '/v2/platform/users/76100000000000001/inventory/730/2/changes',
  );
  const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual(['key-1', 'key-2', 'key-2']);
});

test('a revision that is too old is an error that names the latest one', async () => {
  const detail = { revision_id: since, links: { current: '/v2/current' } };
  server.responds(() => failure(410, 'revision_expired', { detail }));

  const read = client.changesPage(scope, since);

  await expect(read).rejects.toThrow(CursorExpiredError);
  await expect(read).rejects.toMatchObject({ code: 'revision_expired', detail });
});

test('what is no revision is refused before anything is sent, a page without its lists as unexpected', async () => {
  const before = server.requests.length;
  await expect(client.changesPage(scope, 'latest')).rejects.toThrow(TypeError);
  expect(server.requests).toHaveLength(before);

  server.responds(() => success({ ...changesData(1, 1, 0), changed: undefined }));
  await expect(client.changesPage(scope, since)).rejects.toThrow(UnexpectedAnswerError);
});
