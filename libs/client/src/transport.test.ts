import { inspect } from 'node:util';
import { apiKey, failure, pending, refreshId, scope } from '../test/answers.ts';
import { type ScriptedServer, startScriptedServer } from '../test/scripted-server.ts';
import { createTestClientEnvironment } from '../test/test-client-environment.ts';
import { ConnectionError } from './errors.ts';
import { createInventoryClient } from './inventory-client.ts';
import type { Fetch } from './transport.ts';

let server: ScriptedServer;
/** A port without a listener. */
let deadUrl: string;

beforeAll(async () => {
  server = await startScriptedServer();
  const dead = await startScriptedServer();
  deadUrl = dead.url;
  await dead.close();
});
afterAll(() => server.close());

function clientWith(
  options: { baseUrl?: string; eventsUrl?: string; fetch?: Fetch; tryTimeoutMs?: number } = {},
  environment = createTestClientEnvironment(),
) {
  return createInventoryClient({ baseUrl: server.url, apiKey, ...options }, environment);
}

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Everything a log of it could show. */
function shownOf(error: unknown): string {
  return `${inspect(error, { depth: 20, showHidden: true })} ${JSON.stringify(error)} ${error}`;
}

describe('the API key is in no error and no output', () => {
  const sayingIt: Fetch = async () => {
    throw new Error(`refused: ${apiKey}`, { cause: { headers: { 'X-API-Key': apiKey } } });
  };

  test.each([
    ['a refused connection', () => clientWith({ baseUrl: deadUrl }).status(refreshId)],
    ['an HTTP client that quotes it', () => clientWith({ fetch: sayingIt }).status(refreshId)],
    ['a body that quotes it', () => clientWith().status(refreshId)],
  ])('%s', async (_name, call) => {
    const { body } = failure(401, 'invalid_api_key', { detail: { key: apiKey } });
    server.plays({ status: 401, body: JSON.stringify(body).replace('It is', `It is ${apiKey}`) });

    expect(shownOf(await thrownBy(call))).not.toContain(apiKey);
  });

  test.each([`${apiKey}\n`, `${apiKey} `, '', `${apiKey}é`])('a malformed key', async (bad) => {
    const error = await thrownBy(() => createInventoryClient({ baseUrl: server.url, apiKey: bad }));

    expect(error).toBeInstanceOf(TypeError);
    expect(shownOf(error)).not.toContain(apiKey);
  });

  test('the client itself', () => {
    expect(shownOf(clientWith())).not.toContain(apiKey);
  });
});

test('a redirect is not followed, so that no other address receives the key [webhooks-addresses]', async () => {
  const other = await startScriptedServer();
  server.plays({ status: 307, headers: { location: `${other.url}/elsewhere` } });

  await expect(clientWith().refresh(scope)).rejects.toMatchObject({ status: 307 });

  expect(other.requests).toHaveLength(0);
  await other.close();
});

test.each([
  'ftp://service',
  'not an address',
  'https://user:secret@service',
  'https://service?key=1',
])('%s is no base address', (baseUrl) => {
  expect(() => clientWith({ baseUrl })).toThrow(TypeError);
  expect(() => clientWith({ baseUrl })).not.toThrow(/secret/);
  expect(() => clientWith({ eventsUrl: baseUrl })).toThrow(TypeError);
});

test('a base address may have a path of its own', async () => {
  server.plays(pending(1));

  await clientWith({ baseUrl: `${server.url}/inventory-service/` }).status(refreshId);

  expect(server.requests[0]?.path).toBe(
    `/inventory-service/v2/platform/inventory-refreshes/${refreshId}`,
  );
});

test('an attempt without a response times out and is retried', async () => {
  const environment = createTestClientEnvironment();
  server.responds((_request, index) => {
    if (index > 0) return pending(1);
    environment.endTimers();
    return { fault: 'silent' };
  });

  const answer = await clientWith({ tryTimeoutMs: 5_000 }, environment).status(refreshId);

  expect(answer.record.state).toBe('queued');
  expect(server.requests).toHaveLength(2);
  expect(environment.timers).toEqual([5_000, 5_000]);
  expect(environment.runningTimers()).toBe(0);
});

test('an abort ends a running call, with its reason', async () => {
  const abort = new AbortController();
  server.responds(() => {
    abort.abort(new Error('enough'));
    return { fault: 'silent' };
  });

  await expect(clientWith().status(refreshId, { signal: abort.signal })).rejects.toThrow('enough');
  expect(server.requests).toHaveLength(1);
});

test('an error without a response names route and reason', async () => {
  const error = await thrownBy(() =>
    clientWith({ baseUrl: deadUrl }).currentPage(scope, { cursor: 'opaque' }),
  );

  expect(error).toBeInstanceOf(ConnectionError);
  expect(`${error}`).toMatch(
    /GET \/v2\/platform\/users\/\d+\/inventory\/730\/2\/current: ECONNREFUSED/,
  );
  expect((error as Error).cause).toMatchObject({
    message: 'fetch failed',
    cause: { code: 'ECONNREFUSED', message: expect.stringContaining('ECONNREFUSED') },
  });
  expect(`${error}`).not.toContain('opaque');
});
