import { apiKey, projectId, refreshId, scope } from '../test/answers.ts';
import { createTestClientEnvironment } from '../test/test-client-environment.ts';
import { createInventoryClient, type InventoryClient } from './inventory-client.ts';

const sent: string[] = [];
const options = {
  baseUrl: 'https://service',
  apiKey,
  fetch: async (url: string) => {
    sent.push(url);
    throw new Error('nothing is sent');
  },
};
const client = createInventoryClient(options, createTestClientEnvironment());

/** As plain JavaScript may call it. */
const untyped = (value: unknown) => value as never;
const first = (walk: AsyncGenerator) => walk.next();

test.each<[string, (client: InventoryClient) => Promise<unknown>]>([
  [
    'a number, which is rounded',
    (c) => c.refresh(untyped({ ...scope, platform_id: 10_000_000_000_000_000 })),
  ],
  ['no inventory', (c) => c.livePage(untyped(undefined))],
  ['a context that is text', (c) => c.currentPage(untyped({ ...scope, context_id: '2' }))],
  ['an id that is no text', (c) => c.status(untyped([refreshId]))],
  ['a Project that is no text', (c) => c.listEvents(untyped(null))],
  ['a key that is no text', (c) => c.refresh(scope, untyped({ idempotencyKey: 4711 }))],
  ['a misspelt option', (c) => c.refresh(scope, untyped({ languge: 'german' }))],
  ['one of an iteration', (c) => first(c.currentPages(scope, untyped({ pagesize: 10 })))],
  ['one of a wait', (c) => c.waitForRefresh(refreshId, untyped({ deadline: 10 }))],
  ['a batch that is none', (c) => c.refreshBatch(untyped({ scope }))],
  ['one of watches', (c) => c.watchBatch(projectId, untyped({ scope }))],
  ['credits that are text', (c) => c.refresh(scope, untyped({ maxCredits: '200' }))],
  ['a page size of 0', (c) => first(c.currentAssets(scope, { pageSize: 0 }))],
  ['a limit of 1000', (c) => c.statementPage({ limit: 1_000 })],
  ['options that are none', (c) => c.cancel(refreshId, untyped(90_000))],
  ['no callback', (c) => c.followEvents(projectId, untyped({}))],
])('%s is a TypeError, and nothing is sent', async (_what, call) => {
  await expect(call(client)).rejects.toThrow(TypeError);
  expect(sent).toEqual([]);
});

test.each([
  ['no key', { ...options, apiKey: undefined }, /apiKey/],
  ['an empty key', { ...options, apiKey: '' }, /apiKey/],
  ['a key with a line end', { ...options, apiKey: `${apiKey}\n` }, /apiKey/],
  ['no address', { ...options, baseUrl: undefined }, /baseUrl/],
  ['a misspelt option', { ...options, timeoutMs: 1 }, /timeoutMs/],
  ['nothing', undefined, /options/],
])('a client of %s is a TypeError that names it', (_what, given, name) => {
  const create = () => createInventoryClient(untyped(given));
  expect(create).toThrow(TypeError);
  expect(create).toThrow(name);
});
