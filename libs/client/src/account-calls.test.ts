import { apiKey, projectId, success } from '../test/answers.ts';
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

test('prices, account and usage are requested as the interface defines', async () => {
  server.plays(success({ price_version: 1, account_id: 'acc_1', items: [] }));

  expect((await client.prices()).price_version).toBe(1);
  expect((await client.account()).account_id).toBe('acc_1');
  await client.usage({ from: '2026-01-01', to: '2026-01-31', projectId });

  const requested = server.requests.map(({ method, path, query }) => `${method} ${path} ${query}`);
  expect(requested).toEqual([
    'GET /v2/prices ',
    'GET /v2/account ',
    `GET /v2/account/usage from=2026-01-01&to=2026-01-31&project_id=${projectId}`,
  ]);
});

test.each(['prices', 'account', 'usage', 'statementPage'] as const)(
  'a response that is not one of %s is refused',
  async (call) => {
    server.plays(success({ other: 1 }));

    await expect(client[call]()).rejects.toThrow(UnexpectedAnswerError);
  },
);
