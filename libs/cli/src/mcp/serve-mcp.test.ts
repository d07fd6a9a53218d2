import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { waitFor } from '@inventory/testkit/wait-for';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import {
  apiKey,
  changesData,
  currentData,
  failure,
  finished,
  projectId,
  record,
  refreshId,
  requestId,
  revisionId,
  scope,
  success,
} from '../../../client/test/answers.ts';
import {
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from '../../../client/test/scripted-server.ts';
import { createUser, type Ended } from '../../test/run-line.ts';
import { type CliProcess, Interrupted } from '../cli-process.ts';
import { openStdioTransport } from './stdio-transport.ts';

let server: ScriptedServer;
let user: ReturnType<typeof createUser>;
let hosts: Client[];

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  user = createUser(() => server.url);
  hosts = [];
});
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.close()));
  user.remove();
});

const page = 'platform.inventory.current.page.v1';
const all = ['*', 'customer.events.read.v1', 'customer.account.read.v1'];
const toolsOfAll = [
  ...['summarize_inventory', 'refresh_inventory', 'read_changes', 'find_assets'],
  ...['export_inventory', 'read_account', 'list_watches', 'list_events'],
];
const priceList = {
  price_version: 1,
  refresh: { reservation: 125, block: 7, block_assets: 2_000, diagnostic: 1 },
  current_page: { page: 3 },
  changes_page: { page: 3 },
};
const items = (...list: readonly object[]) =>
  success({ items: list, pagination: { has_more: false, next_cursor: null } });

type Answer = ScriptedAnswer | (() => ScriptedAnswer);

/** Responds to the calls of the start, and to all others with the response of their end of the path. */
function serve(
  answers: Readonly<Record<string, Answer>> = {},
  { scopes = all, events_enabled = true }: { scopes?: string[]; events_enabled?: boolean } = {},
): void {
  const key = { events_enabled, credential: { project_id: projectId, scopes } };
  const ofStart = {
    '/v2/account': success({ account_id: 'acc_1', ...key, spend_caps: [], balance: {} }),
    '/v2/prices': success(priceList),
  };
  server.responds(({ path }) => {
    const known = Object.entries<Answer>({ ...ofStart, ...answers });
    const [, answer] = known.find(([end]) => path.endsWith(end)) ?? [];
    if (answer === undefined) return failure(404, 'route_not_found');
    return typeof answer === 'function' ? answer() : answer;
  });
}

/** A host that has started the program. */
async function start(args: readonly string[] = [], changes: Partial<CliProcess> = {}) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const ended = user.run(['mcp', ...args], { openTransport: async () => far, ...changes });
  const host = new Client({ name: 'host', version: '1' });
  hosts.push(host);
  await host.connect(near);
  const call = async (name: string, given: object = {}, signal?: AbortSignal) => {
    const params = { name, arguments: { ...given } };
    const options = signal === undefined ? {} : { signal };
    const { isError, content } = (await host.callTool(
      params,
      undefined,
      options,
    )) as CallToolResult;
    const [block] = content;
    return { isError, text: block?.type === 'text' ? block.text : '' };
  };
  const read = async (name: string, given: object = {}) =>
    JSON.parse((await call(name, given)).text);
  return { host, ended, call, read };
}

const keysOf = (end: string) =>
  server.requests
    .filter(({ path }) => path.endsWith(end))
    .map(({ headers }) => headers['idempotency-key']);

describe('the tools', () => {
  it.each([
    ['everything', all, true, toolsOfAll],
    ['nothing', [], true, ['summarize_inventory', 'read_account']],
    [
      'Current',
      [page],
      true,
      [
        ...['summarize_inventory', 'read_changes', 'find_assets', 'export_inventory'],
        'read_account',
      ],
    ],
    ['everything of an account without events', all, false, toolsOfAll.slice(0, -1)],
  ])(
    'of a key that may do %s are those that it may use (permissions)',
    async (_what, scopes, events_enabled, names) => {
      serve({}, { scopes, events_enabled });
      const { host } = await start();

      const { tools } = await host.listTools();

      expect(tools.map(({ name }) => name)).toEqual(names);
      expect(tools.length).toBeLessThanOrEqual(8);
    },
  );

  it('state the prices in force, and only free ones may be called without the user', async () => {
    serve();
    const { host } = await start();

    const { tools } = await host.listTools();

    const free = tools.filter(({ annotations }) => annotations?.readOnlyHint);
    const paid = tools.filter(({ annotations }) => !annotations?.readOnlyHint);
    expect(free.map(({ name }) => name)).toEqual([
      ...['summarize_inventory', 'read_account', 'list_watches', 'list_events'],
    ]);
    expect(free.every(({ description }) => description?.endsWith('Free.'))).toBe(true);
    expect(paid.map(({ description }) => description)).toEqual([
      expect.stringContaining('125 are reserved; 7 is charged for each started 2000 items'),
      expect.stringMatching(/credits: 3; nothing if nothing changed/),
      expect.stringMatching(/credits: 3\.$/),
      expect.stringMatching(/credits: 3 for each started 2000 rows/),
    ]);
  });

  it.each<[string, object, RegExp]>([
    ['refresh_inventory', {}, /platform_id: Invalid input: expected string/],
    ['refresh_inventory', { ...scope, platform_id: 76 }, /^usage: platform_id/],
    [
      'refresh_inventory',
      { ...scope, platform_id: '../../../v2/acc' },
      /must be text of 17 digits/,
    ],
    ['refresh_inventory', { ...scope, app_id: 0 }, /app_id: Too small/],
    ['refresh_inventory', { ...scope, max_credits: 1e9 + 0.5 }, /max_credits: Invalid input/],
    ['refresh_inventory', { ...scope, [apiKey]: apiKey }, /arguments: unknown ones are refused/],
    ['read_changes', { ...scope, since: `invrev_/../${apiKey}` }, /must be invrev_ and a UUID/],
    ['find_assets', { ...scope, asset_ids: Array(51).fill('1') }, /asset_ids: Too big/],
    ['find_assets', { ...scope, asset_ids: ['1&language=x'] }, /asset_ids\.0: must be text of 1/],
    ['export_inventory', { ...scope, path: '/etc/passwd' }, /unknown ones are refused/],
    ['export_inventory', { ...scope, language: '../../x' }, /language: must be a word/],
    ['list_watches', { state: apiKey }, /state: Invalid option/],
    ['list_events', { after: `${apiKey}\n` }, /after: must be a cursor/],
  ])('%s refuses %j and repeats none of it; nothing is sent', async (name, given, message) => {
    serve();
    const { call } = await start();
    const before = server.requests.length;

    const { isError, text: shown } = await call(name, given);

    expect(isError).toBe(true);
    expect(shown).toMatch(message);
    expect(shown).not.toContain(apiKey);
    expect(server.requests).toHaveLength(before);
  });

  it('that the key may not use is no tool, whatever its name', async () => {
    serve({}, { scopes: [] });
    const { call } = await start();

    for (const name of ['refresh_inventory', 'constructor', apiKey]) {
      await expect(call(name, scope)).rejects.toThrow(/-32602: The key has no such tool\.$/);
    }
  });
});

describe('a paid call', () => {
  const pending = success(record(), { status: 202, headers: { 'retry-after': '1' } });

  it('goes on with its refresh until that has ended, and the next one is another refresh (Idempotency)', async () => {
    const statuses = [success(record()), success(finished())];
    serve({ '/refresh': pending, [refreshId]: () => statuses.shift() ?? success(record()) });
    const { read } = await start();

    const first = await read('refresh_inventory', scope);
    const second = await read('refresh_inventory', scope);
    await read('refresh_inventory', scope);

    expect(first).toMatchObject({ refresh_id: refreshId, state: 'queued' });
    expect(second).toEqual(finished());
    const [key, again, next] = keysOf('/refresh');
    expect(again).toBe(key);
    expect(next).not.toBe(key);
    expect(server.requests.at(-1)?.query.get('wait')).toBe('30');
  });

  it('that the host cancels ends its request, and repeated it has its key again: it is not charged twice (Idempotency)', async () => {
    serve({ '/current': { fault: 'silent' } });
    const { call, read } = await start();
    const cancelling = new AbortController();
    const given = { ...scope, asset_ids: ['10000000000000000001'] };

    const cancelled = call('find_assets', given, cancelling.signal);
    await waitFor('it is sent', () => keysOf('/current').length === 1);
    const [key] = keysOf('/current');
    cancelling.abort(new Error('no longer wanted'));
    await expect(cancelled).rejects.toThrow();
    serve({ '/current': success(currentData(1, 1, 0)) });
    await read('find_assets', given);
    await read('find_assets', given);

    const [again, next] = keysOf('/current');
    expect(again).toBe(key);
    expect(next).not.toBe(key);
  });

  it('that the spend cap refuses is an error with the code, its detail and the request id (402)', async () => {
    const detail = { scope: 'credential', cap: 500, spent: 490, resets_at: '2026-02-01' };
    serve({ '/refresh': failure(402, 'spend_cap_reached', { detail }) });
    const { call } = await start();

    const refused = await call('refresh_inventory', scope);
    await call('refresh_inventory', scope);

    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('spend_cap_reached: It is spend_cap_reached.');
    expect(refused.text).toContain('scope: "credential"\n  cap: 500\n');
    expect(refused.text).toContain(`request_id: ${requestId}`);
    expect(new Set(keysOf('/refresh')).size).toBe(2);
  });
});

describe('a result', () => {
  it('has counts and the first rows, whatever the service sends: never more than 32 KiB', async () => {
    const long = 'x'.repeat(40_000);
    const described = { descriptions: [{ classid: '0', instanceid: '0', market_hash_name: long }] };
    const many = { ...currentData(5_000, 2_000, 0), ...described };
    const { assets } = many;
    const changed = assets.map((asset) => ({ asset, amount_before: '1' }));
    const difference = { ...changesData(5_000, 2_000, 0), ...described, removed: assets, changed };
    const event = { id: 'evt_1', type: 't', occurred_at: 'now', data: { scope, extra: long } };
    const watch = { watch_id: 'wat_1', scope, every_seconds: 300, state: 'active' };
    serve({
      '/changes': success(difference),
      '/current': success({ ...many, not_in_revision: assets.map(({ assetid }) => assetid) }),
      '/events': items(...Array(100).fill({ cursor: 'c', event })),
      '/watches': items(...Array(100).fill(watch)),
      '/summary': success({ revision_id: revisionId, extra: long }),
    });
    const { call, read } = await start();

    const changes = await read('read_changes', { ...scope, since: revisionId });
    const found = await read('find_assets', { ...scope, asset_ids: ['1'] });
    const [events, watches] = [await read('list_events'), await read('list_watches')];
    const overlong = await call('summarize_inventory', scope);

    expect(changes.counts).toEqual({ added: 5_000, removed: 0, changed: 0 });
    const lists = [changes.added, changes.removed, changes.changed, events.items, watches.items];
    expect(lists.map((list) => list.length)).toEqual([20, 20, 20, 20, 20]);
    expect([found.found.length, found.not_in_revision.length]).toEqual([50, 50]);
    expect(found.found[0].name).toBe('x'.repeat(100));
    for (const result of [changes, found, events, watches]) {
      expect(JSON.stringify(result).length).toBeLessThan(32 * 1024);
    }
    expect(overlong).toEqual({
      isError: true,
      text: 'failed: the response has more than it should',
    });
  });

  it('of the account has the caps of the key and what was charged, by product', async () => {
    const row = { product_code: page, asset: 'credits', charged: 5, reversed: 1 };
    serve({
      [projectId]: success({ project_id: projectId, credential_spend_cap: { cap: 500 } }),
      '/usage': success({ from: 'a', to: 'b', items: [row, row] }),
    });
    const { read } = await start();

    expect(await read('read_account')).toMatchObject({
      project_id: projectId,
      credential_spend_cap: { cap: 500 },
      usage: { from: 'a', to: 'b', charged: { [`${page} credits`]: 8 } },
    });
  });
});

describe('an export', () => {
  const rows = Array.from({ length: 3 }, (_none, row) => `{"asset":{"assetid":"${row}"}}\n`);
  const sha256 = createHash('sha256').update(rows.join('')).digest('hex');
  const end = `${JSON.stringify({ end: { revision_id: revisionId, rows: 3, sha256 } })}\n`;
  const download = (body: string): ScriptedAnswer => ({
    headers: {
      'content-type': 'application/x-ndjson',
      'x-revision-id': revisionId,
      'x-observation-id': 'invobs_1',
      'x-export-rows': '3',
    },
    body,
  });
  const directory = () => join(user.home, '.local/state/inventory/exports');

  it('is a file for its owner alone, and a handle without rows (Reads)', async () => {
    serve({ '/export': download(rows.join('') + end) });
    const { read } = await start();

    const { path, ...handle } = await read('export_inventory', scope);

    expect(handle).toEqual({
      ...{ rows: 3, sha256, revision_id: revisionId, observation_id: 'invobs_1' },
    });
    expect(readFileSync(path, 'utf8')).toBe(rows.join(''));
    expect(path.startsWith(`${directory()}/76100000000000001-730-2-`)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that is not whole leaves no file, and says so', async () => {
    serve({ '/export': download(rows.join('') + end.replace(sha256, 'other')) });
    const { call } = await start(['--exports', join(user.home, 'other')]);

    const { isError, text: shown } = await call('export_inventory', scope);

    expect(isError).toBe(true);
    expect(shown).toMatch(/^UnexpectedAnswerError: /);
    expect(readdirSync(join(user.home, 'other'))).toEqual([]);
    expect(existsSync(directory())).toBe(false);
  });
});

describe('the program', () => {
  it.each<[string, (host: Client, interruption: AbortController) => unknown, number]>([
    ['the host disconnects', (host) => host.close(), 0],
    ['it is interrupted', (_host, it) => it.abort(new Interrupted(130)), 130],
  ])('ends with its work where %s, and has written no result', async (_when, act, code) => {
    serve({ '/summary': { fault: 'silent' } });
    const interruption = new AbortController();
    const { host, call, ended } = await start([], { signal: interruption.signal });
    const open = call('summarize_inventory', scope).catch(() => 'ended');
    await waitFor('it is sent', () => server.requests.some(({ path }) => /summary$/.test(path)));

    await act(host, interruption);

    expect(await open).toBe('ended');
    expect(await ended).toEqual({ code, out: '', err: '' } satisfies Ended);
  });

  it.each<[string, string[], ScriptedAnswer, number, RegExp]>([
    ['the key is refused', [], failure(401, 'invalid_api_key'), 1, /^invalid_api_key: /],
    ['the directory is relative', ['--exports', 'here'], success({}), 2, /--exports must be/],
  ])('does not start where %s, as any command', async (_why, args, answer, code, message) => {
    server.plays(answer);

    const ended = await user.run(['mcp', ...args]);

    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toMatch(message);
  });

  it('has the protocol alone on its output, and repeats no message that it refuses', async () => {
    serve();
    const [input, output] = [new PassThrough(), new PassThrough()];
    let written = '';
    output.on('data', (chunk) => {
      written += chunk;
    });
    const ended = user.run(['mcp'], {
      openTransport: async () => openStdioTransport(input, output),
    });
    input.write(`${apiKey} is no message\n{"jsonrpc":"1.0","${apiKey}":1}\n`);
    input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await waitFor('a response is written', () => written.includes('\n'));
    input.end();

    const { code, err } = await ended;

    expect(JSON.parse(written)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(code).toBe(0);
    expect(err).toBe(
      'mcp: a message was refused (SyntaxError)\nmcp: a message was refused (ZodError)\n',
    );
  });
});
