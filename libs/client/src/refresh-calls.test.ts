import {
  apiKey,
  failure,
  finished,
  pending,
  projectId,
  record,
  refreshId,
  scope,
  success,
} from '../test/answers.ts';
import { type ScriptedServer, startScriptedServer } from '../test/scripted-server.ts';
import {
  createTestClientEnvironment,
  type TestClientEnvironment,
} from '../test/test-client-environment.ts';
import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  RefreshNotFinishedError,
} from './errors.ts';
import { createInventoryClient, type InventoryClient } from './inventory-client.ts';
import type { RefreshRecord } from './records.ts';

let server: ScriptedServer;
let environment: TestClientEnvironment;
let client: InventoryClient;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  environment = createTestClientEnvironment();
  client = createInventoryClient({ baseUrl: server.url, apiKey }, environment);
});

function keys(): (string | string[] | undefined)[] {
  return server.requests.map(({ headers }) => headers['idempotency-key']);
}

describe('refresh', () => {
  test('each call has a key of its own', async () => {
    server.plays(pending(1, 202));

    await client.refresh(scope);
    await client.refresh(scope);

    expect(keys()).toEqual(['key-1', 'key-2']);
  });

  test.each([
    ['a connection that ends', { fault: 'refused' }],
    ['a response that is cut off', { ...pending(1, 202), fault: 'cut' }],
    ['an outcome that is unknown', failure(503, 'service_unavailable', { retryAfter: 1 })],
    ['a closed door', failure(503, 'product_unavailable', { retryAfter: 1 })],
    ['a first try still undecided', failure(409, 'idempotency_in_progress', { retryAfter: 1 })],
    ['too many requests', failure(429, 'rate_limit_exceeded', { retryAfter: 1 })],
    ['a proxy’s own page', { status: 502, body: '<html>Bad gateway</html>' }],
  ] as const)(
    'after %s the same key is sent again (Idempotency-Key) [idempotency-key]',
    async (_name, first) => {
      server.plays(first, pending(1, 202));

      await client.refresh(scope);

      expect(keys()).toEqual(['key-1', 'key-1']);
      expect(environment.waits).toHaveLength(1);
    },
  );

  test('a replayed acceptance is marked as replayed [replay]', async () => {
    const headers = { 'idempotency-replayed': 'true', 'retry-after': '1' };
    server.plays(success(record(), { status: 202, headers }));

    expect((await client.refresh(scope, { idempotencyKey: 'mine' })).replayed).toBe(true);
    expect(keys()).toEqual(['mine']);
  });
});

describe('cancel', () => {
  test('that was too late, after a lost response, is a conflict', async () => {
    server.plays(
      { fault: 'refused' },
      failure(409, 'refresh_already_completed'),
      success(finished('complete_changed')),
    );

    await expect(client.cancel(refreshId)).rejects.toThrow(ConflictError);
  });
});

describe('refreshAndWait', () => {
  test('polls by Retry-After, honours each new value, ends when billing is final (Polling) [polling, retry-after]', async () => {
    const settled = finished();
    const unsettled = { ...settled, billing: { ...settled.billing, state: 'pending' } };
    const headers = { 'retry-after': '2' };
    server.plays(pending(5, 202), pending(3), success(unsettled, { headers }), success(settled));
    const seen: RefreshRecord[] = [];

    const result = await client.refreshAndWait(scope, { onProgress: (one) => seen.push(one) });

    expect(result.record).toEqual(settled);
    expect(result.retryAfterSeconds).toBeNull();
    expect(environment.waits).toEqual([5_000, 3_000, 2_000]);
    expect(seen.map(({ state }) => state)).toEqual(['queued', 'queued', 'completed', 'completed']);
  });

  test('at the deadline it rejects with the id, and the wait can be resumed', async () => {
    server.plays(pending(20, 202), pending(20));

    const ended = client.refreshAndWait(scope, { deadlineMs: 50_000 });

    await expect(ended).rejects.toThrow(RefreshNotFinishedError);
    await expect(ended).rejects.toMatchObject({ refreshId, retryable: true });
    expect(environment.waits).toEqual([20_000, 20_000]);
    server.plays(success(finished()));
    expect((await client.waitForRefresh(refreshId)).record.outcome).toBe('complete_changed');
    expect(server.requests).toHaveLength(1);
  });

  test('an unavailable service is retried for minutes; other errors are not', async () => {
    const away = Array.from({ length: 40 }, () => ({ fault: 'refused' }) as const);
    server.plays(pending(1, 202), ...away, success(finished()));

    expect((await client.refreshAndWait(scope)).record.state).toBe('completed');

    server.plays(pending(1, 202), failure(401, 'invalid_api_key'));
    await expect(client.refreshAndWait(scope)).rejects.toThrow(AuthenticationError);
  });

  test('when the service is unavailable until the deadline, the error has the cause', async () => {
    server.plays(pending(1, 202), { fault: 'refused' });

    const ended = client.refreshAndWait(scope, { deadlineMs: 30_000 });

    await expect(ended).rejects.toMatchObject({ refreshId, cause: expect.any(ConnectionError) });
  });

  test('an abort ends the wait with its reason', async () => {
    const abort = new AbortController();
    server.plays(pending(1));
    const real = createInventoryClient({ baseUrl: server.url, apiKey, tryTimeoutMs: 600_000 });

    const waited = real.waitForRefresh(refreshId, {
      signal: abort.signal,
      onProgress: () => abort.abort(new Error('enough')),
    });

    await expect(waited).rejects.toThrow('enough');
    expect(server.requests).toHaveLength(1);
  });
});

describe('the list of refreshes [list]', () => {
  test('is read page by page with the same filters', async () => {
    const page = (ids: string[], next_cursor: string | null) =>
      success({
        items: ids.map((refresh_id) => record({ refresh_id })),
        pagination: { has_more: next_cursor !== null, next_cursor },
      });
    server.plays(page(['a', 'b'], 'second'), page(['c'], null));

    const ids: string[] = [];
    const options = { states: ['queued', 'completed'], refreshIds: [refreshId], limit: 2 };
    for await (const { refresh_id } of client.refreshes(projectId, options)) ids.push(refresh_id);

    expect(ids).toEqual(['a', 'b', 'c']);
    expect(server.requests.map(({ path }) => path)).toEqual(
      Array(2).fill(`/v2/projects/${projectId}/inventory-refreshes`),
    );
    const requested = server.requests.map(({ query }) => `${query}`);
    const filters = `state=queued&state=completed&refresh_id=${refreshId}&limit=2`;
    expect(requested).toEqual([filters, `${filters}&cursor=second`]);
  });
});

test.each([
  ['../../prices', () => client.status('../../prices')],
  ['a wrong platform id', () => client.refresh({ ...scope, platform_id: '..' })],
  ['a fraction', () => client.currentPage({ ...scope, app_id: 1.5 })],
  ['a foreign Project id', () => client.listRefreshes('acc_1')],
  ['a key with a line break', () => client.refresh(scope, { idempotencyKey: 'a\nb' })],
])('%s never becomes a request', async (_name, call) => {
  server.plays(success({}));

  await expect(call()).rejects.toThrow(TypeError);
  expect(server.requests).toHaveLength(0);
});
