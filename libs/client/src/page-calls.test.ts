import {
  apiKey,
  asset,
  currentData,
  failure,
  revisionId,
  scope,
  success,
} from '../test/answers.ts';
import { type ScriptedServer, startScriptedServer } from '../test/scripted-server.ts';
import { createTestClientEnvironment } from '../test/test-client-environment.ts';
import {
  CursorExpiredError,
  InventoryError,
  InventoryNotReadableError,
  NotFoundError,
  UnexpectedAnswerError,
} from './errors.ts';
import { createInventoryClient, type InventoryClient } from './inventory-client.ts';

const total = 4_001;
const inventory = '/v2/platform/users/76100000000000001/inventory/730/2';
let server: ScriptedServer;
let client: InventoryClient;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  client = createInventoryClient({ baseUrl: server.url, apiKey }, createTestClientEnvironment());
});

/** Serves a whole inventory, as the service does. */
function serveInventory({ failEvery = Infinity } = {}): void {
  server.responds(({ query }, index) => {
    if (index % failEvery === failEvery - 1) return { fault: 'refused' };
    const pageSize = Number(query.get('page_size') ?? 2_000);
    const from = Number(query.get('cursor')?.replace('from-', '') ?? 0);
    return success(currentData(total, pageSize, from));
  });
}

const walks = [
  ['Current', `${inventory}/current`, 'currentPages', 'currentAssets'],
  ['Live', inventory, 'livePages', 'liveAssets'],
] as const;

test('assets are looked up by their ids, in one page that names those not there', async () => {
  const data = { ...currentData(2, 2, 0), not_in_revision: ['7'] };
  server.responds(() => success(data));

  const assetIds = ['1', '7'];
  const { page } = await client.currentPage(scope, { assetIds, descriptions: 'none' });

  expect(`${server.requests[0]?.query}`).toBe('assetid=1&assetid=7&descriptions=none');
  expect(page.not_in_revision).toEqual(['7']);
  const walk = client.currentPages(scope, { assetIds } as object);
  await expect(walk.next()).rejects.toThrow(TypeError);
});

describe.each(walks)('%s', (_name, path, pages, assets) => {
  test('is read page by page to its end, with language and cursor', async () => {
    serveInventory();

    const ids: string[] = [];
    for await (const { page } of client[pages](scope, { language: 'german' })) {
      ids.push(...page.assets.map(({ assetid }) => assetid));
    }

    expect(ids).toEqual(Array.from({ length: total }, (_none, serial) => asset(serial).assetid));
    expect(server.requests.map((one) => one.path)).toEqual([path, path, path]);
    expect(server.requests.map(({ query }) => `${query}`)).toEqual([
      'language=german',
      'language=german&cursor=from-2000',
      'language=german&cursor=from-4000',
    ]);
  });

  test('each page has a key of its own, and keeps it for retries', async () => {
    serveInventory({ failEvery: 2 });

    for await (const { page } of client[pages](scope)) expect(page.total_count).toBe(total);

    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['key-1', 'key-2', 'key-2', 'key-3', 'key-3']);
  });

  test('each asset has its description, or null where the platform has none', async () => {
    serveInventory();
    let count = 0;

    for await (const { asset: one, description } of client[assets](scope)) {
      const expected = one.classid === '6' ? undefined : `m${one.classid}`;
      if (description?.market_hash_name !== expected) throw new Error(one.assetid);
      count += 1;
    }

    expect(count).toBe(total);
  });

  test('leaving the loop costs no further page', async () => {
    serveInventory();

    for await (const { page } of client[pages](scope)) {
      if (page.assets.length > 0) break;
    }

    expect(server.requests).toHaveLength(1);
  });
});

test('a page can be continued with its cursor, at another size', async () => {
  serveInventory();
  const { page } = await client.currentPage(scope, { pageSize: 1_500 });

  const rest: number[] = [];
  const options = { pageSize: 600, cursor: page.pagination.next_cursor };
  for await (const next of client.currentPages(scope, options)) rest.push(next.page.assets.length);

  expect(rest).toEqual([600, 600, 600, 600, 101]);
});

test('total_amount of Current is exact beyond 2^53 [total-amount]', async () => {
  const body = JSON.stringify(success(currentData(1, 1, 0)).body).replace(
    '"total_amount":1',
    '"total_amount":9007199254740993',
  );
  server.plays({ body });

  expect((await client.currentPage(scope)).page.total_amount).toBe(9_007_199_254_740_993n);
});

test.each([
  [404, 'inventory_revision_not_found', NotFoundError],
  [410, 'cursor_expired', CursorExpiredError],
  [403, 'inventory_private', InventoryNotReadableError],
  [404, 'inventory_not_found', InventoryNotReadableError],
])('%i %s ends a walk with an error of its family', async (status, code, family) => {
  server.plays(failure(status, code));

  await expect(client.livePages(scope).next()).rejects.toThrow(family);
  expect(server.requests).toHaveLength(1);
});

test('a chain of live pages that is not to be saved says so with each page', async () => {
  serveInventory();

  for await (const { page } of client.livePages(scope, { capture: false })) {
    expect(page.total_count).toBe(total);
  }

  expect(server.requests.map(({ query }) => query.get('capture'))).toEqual(Array(3).fill('false'));
});

test.each([
  ['no envelope', { assets: [] }],
  ['no data', { success: true, meta: { request_id: 'req_1' } }],
  ['no meta', { success: true, data: currentData(1, 1, 0) }],
  ['no assets', success({ ...currentData(1, 1, 0), assets: '' }).body],
  ['no pagination', success({ ...currentData(1, 1, 0), pagination: null }).body],
  ['no amount', success({ ...currentData(1, 1, 0), total_amount: 'many' }).body],
])('a success with %s is refused', async (_name, body) => {
  server.plays({ body });

  await expect(client.currentPage(scope)).rejects.toThrow(UnexpectedAnswerError);
});

const longMs = 30 * 60_000;

test.each<[string, number, (own: InventoryClient) => Promise<unknown>]>([
  ['Current', 1, (own) => own.currentPage(scope, { deadlineMs: longMs })],
  ['a Live Page', 1, (own) => own.livePage(scope, { deadlineMs: longMs, idempotencyKey: 'mine' })],
  ['a page of Changes', 1, (own) => own.changesPage(scope, revisionId, { deadlineMs: longMs })],
  ['pages one after another', 1, (own) => own.livePages(scope, { deadlineMs: longMs }).next()],
  ['a refresh, whose key is kept', 2, (own) => own.refresh(scope, { deadlineMs: longMs })],
])(
  'a call of %s is not repeated on its own when its key may be void, whatever its deadline (Reads) [idempotency-key-of-page-reads]',
  async (_what, requests, call) => {
    server.plays(
      failure(503, 'service_unavailable', { retryAfter: 540 }),
      failure(403, 'permission_denied'),
    );

    await expect(call(client)).rejects.toThrow(InventoryError);
    expect(server.requests).toHaveLength(requests);
  },
);
