import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
} from '../../client/test/answers.ts';
import {
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from '../../client/test/scripted-server.ts';
import { createUser } from '../test/run-line.ts';
import { Interrupted } from './cli-process.ts';

let server: ScriptedServer;
let user: ReturnType<typeof createUser>;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  user = createUser(() => server.url);
});
afterEach(() => user.remove());

interface Item {
  readonly platform_id: string;
  readonly idempotency_key: string;
}

const inventory = [scope.platform_id, '--app', '730', '--context', '2'];
const account = success({
  account_id: 'acc_1',
  balance: { available: 5 },
  credential: { project_id: projectId },
});
const accessFile = () => join(user.home, '.config/inventory/access.json');
const loggedIn = { environment: {} };

describe('the key', () => {
  it.each([
    ['the environment', { INVENTORY_API_KEY: apiKey }, apiKey],
    ['standard input', {}, 'inv_typed_secret_check'],
  ])(
    'of %s is stored once the service accepts it, for its owner alone, and never shown',
    async (_from, environment, key) => {
      server.plays(account);

      const line = ['login', '--url', server.url];
      const ended = await user.run(line, {
        environment,
        promptKey: async () => 'inv_typed_secret_check',
      });
      const used = await user.run(['usage', '--json'], loggedIn);

      expect(ended).toMatchObject({ code: 0, err: '' });
      expect(ended.out).toContain(projectId);
      expect(JSON.parse(readFileSync(accessFile(), 'utf8'))).toEqual({
        base_url: server.url,
        api_key: key,
      });
      expect(statSync(accessFile()).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(accessFile())).mode & 0o777).toBe(0o700);
      expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual([key, key]);
      expect(JSON.stringify([ended, used])).not.toContain(key);
    },
  );

  it('that the service refuses is not stored', async () => {
    server.plays(failure(401, 'invalid_api_key'));

    const { code, err } = await user.run(['login', '--url', server.url]);

    expect([code, existsSync(accessFile())]).toEqual([1, false]);
    expect(err).toContain(
      `invalid_api_key: It is invalid_api_key. (GET /v2/account: 401)\n  request_id: ${requestId}\n`,
    );
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['there is none', {}, /no key: run inventory login/],
    [
      'the environment has one without its address',
      { INVENTORY_API_KEY: apiKey },
      /both, or neither/,
    ],
    [
      'the environment has an empty one',
      { INVENTORY_URL: 'http://x.test', INVENTORY_API_KEY: '' },
      /both/,
    ],
    [
      'it has blanks',
      { INVENTORY_URL: 'http://x.test', INVENTORY_API_KEY: 'a b' },
      /the environment: apiKey/,
    ],
    [
      'the address is none',
      { INVENTORY_URL: 'file:///x', INVENTORY_API_KEY: apiKey },
      /http or https/,
    ],
    [
      'the directory is relative',
      { XDG_CONFIG_HOME: 'here' },
      /XDG_CONFIG_HOME must be an absolute/,
    ],
  ])('is a fault of its source where %s: nothing is sent', async (_why, environment, message) => {
    server.plays(account);

    const ended = await user.run(['usage'], { environment });

    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toMatch(message);
    expect(server.requests).toEqual([]);
  });

  it.each<[string, string, number, RegExp]>([
    ['others may read it', '{"base_url":"http://x.test","api_key":"secret"}', 0o640, /chmod 600/],
    ['it is cut', '{"base_url":"http://x.test","api_key":"secr', 0o600, /is not what this program/],
    ['it lacks the key', '{"base_url":"http://x.test"}', 0o600, /has no base_url and api_key/],
    ['it is something else', 'null', 0o600, /is not what this program/],
    ['it is huge', `{"api_key":"secret${'x'.repeat(20_000)}"}`, 0o600, /is not what this program/],
  ])(
    'in the file is a fault where %s, and none of it is shown',
    async (_why, text, mode, message) => {
      mkdirSync(dirname(accessFile()), { recursive: true });
      writeFileSync(accessFile(), text);
      chmodSync(accessFile(), mode);

      const ended = await user.run(['usage'], loggedIn);

      expect(ended.code).toBe(2);
      expect(ended.err).toMatch(message);
      expect(ended.err).not.toContain('secr');
    },
  );

  it.each([[['login', apiKey]], [['usage', `--key=${apiKey}`]], [[apiKey]]])(
    'in an argument is refused and not shown: %#',
    async (args) => {
      const ended = await user.run(args);

      expect(ended.code).toBe(2);
      expect(ended.err).toContain('a key must not be an argument');
      expect(JSON.stringify(ended)).not.toContain(apiKey);
    },
  );
});

describe('refresh', () => {
  const queued = record({ expected_completed_at: '2026-01-01T00:00:10.000Z' });
  const again = success(queued, { headers: { 'retry-after': '0' } });

  /** Accepts each refresh but those of these platform accounts, and plays the responses of a status. */
  function serve(statuses: readonly ScriptedAnswer[], refused: readonly string[] = []): void {
    let reads = 0;
    server.responds(({ method, body }) => {
      if (method === 'GET') return statuses[reads++] ?? { status: 500 };
      const items: readonly Item[] = JSON.parse(body).items;
      return success({
        items: items.map(({ idempotency_key, platform_id }) =>
          refused.includes(platform_id)
            ? {
                ...{ idempotency_key, success: false, status: 402 },
                error: { code: 'insufficient_credits', message: 'No.', detail: { required: 125 } },
              }
            : { idempotency_key, success: true, data: record() },
        ),
      });
    });
  }

  it('waits for the end, and shows it as text or as the record of the API (Refresh, Status)', async () => {
    serve([again, success(finished())]);
    const shown = await user.run(['refresh', ...inventory, '--wait']);
    const [request] = server.requests;
    serve([again, success(finished())]);
    const json = await user.run(['refresh', ...inventory, '--wait', '--json']);

    expect(shown).toEqual({
      code: 0,
      out: `76100000000000001/730/2  complete_changed  3 credits  ${refreshId}  ${revisionId}\n`,
      err: '0 of 1 ended; queued\n1 of 1 ended\n',
    });
    expect(JSON.parse(json.out)).toEqual(finished());
    expect(json.err).toBe('');
    expect(JSON.parse(request?.body ?? '').items).toEqual([
      {
        ...scope,
        max_credits: 125,
        idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}:76100000000000001\/730\/2$/),
      },
    ]);
  });

  it('draws a bar with the expected end on a terminal, and leaves no line of it', async () => {
    serve([again, success(finished())]);

    const { err } = await user.run(['refresh', ...inventory, '--wait'], { errorColumns: () => 90 });

    const bar = `[${'#'.repeat(15)}${'-'.repeat(15)}]`;
    expect(err).toContain(`\r\u001b[K${bar} 0 of 1 ended; queued; expected 00:00:10 UTC, in 5 s\r`);
    expect(err.endsWith('\r\u001b[K')).toBe(true);
  });

  it('of several reports each refusal and goes on with the others (Batch)', async () => {
    serve([], [scope.platform_id]);

    const line = ['refresh', ...inventory, '76100000000000002', scope.platform_id, '--json'];
    const ended = await user.run([...line, '--key', 'k']);

    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.err)).toMatchObject({
      error: { code: 'insufficient_credits', request_id: requestId, detail: { required: 125 } },
      scope,
    });
    expect(JSON.parse(ended.out)).toMatchObject({ refresh_id: refreshId });
    const items: readonly Item[] = JSON.parse(server.requests[0]?.body ?? '').items;
    expect(items.map(({ idempotency_key }) => idempotency_key)).toEqual([
      'k:76100000000000001/730/2',
      'k:76100000000000002/730/2',
    ]);
  });

  it.each(['private', 'upstream_unavailable'])(
    'that ends %s has an exit code of its own',
    async (outcome) => {
      serve([success(finished(outcome))]);

      expect((await user.run(['refresh', ...inventory, '--wait'])).code).toBe(4);
    },
  );

  it('that is not finished in time, or interrupted, names the key under which it goes on', async () => {
    const line = ['refresh', ...inventory, '--wait', '--key', 'mine'];
    serve([success(record(), { headers: { 'retry-after': '60' } })]);
    const late = await user.run([...line, '--timeout', '1']);
    const interruption = new AbortController();
    server.responds(() => {
      interruption.abort(new Interrupted(130));
      return { fault: 'silent' };
    });
    const interrupted = await user.run(line, { signal: interruption.signal });

    expect([late.code, interrupted.code]).toEqual([3, 130]);
    expect(late.err).toContain('RefreshNotFinishedError: Refresh');
    for (const { err } of [late, interrupted]) expect(err).toContain('with --key mine.');
  });
});

describe('export', () => {
  const line = (serial: number) =>
    `{"asset":{"assetid":"${serial}","wear":0.10},"description":null}\n`;

  /** A download of rows from one on; without its end where it is cut. */
  function download(rows: number, from = 0, sent = rows): ScriptedAnswer {
    const lines = Array.from({ length: rows - from }, (_none, index) => line(from + index));
    const sha256 = createHash('sha256').update(lines.join('')).digest('hex');
    const end = JSON.stringify({ end: { revision_id: revisionId, rows: lines.length, sha256 } });
    return {
      headers: {
        'content-type': 'application/x-ndjson',
        'x-revision-id': revisionId,
        'x-observation-id': 'invobs_1',
        'x-export-rows': String(lines.length),
      },
      body: [...lines, `${end}\n`].slice(0, sent - from + (sent === rows ? 1 : 0)).join(''),
    };
  }

  it('writes the rows byte for byte, and how far it is where standard error is no terminal (Reads) [export]', async () => {
    server.plays(download(20));

    const { code, out, err } = await user.run(['export', ...inventory]);

    expect(code).toBe(0);
    expect(out).toBe(Array.from({ length: 20 }, (_none, serial) => line(serial)).join(''));
    expect(err.split('\n').slice(0, 2)).toEqual(['0 % of 20 rows', '10 % of 20 rows']);
    expect(err).toContain(`100 % of 20 rows\n20 rows of ${revisionId}\n`);
  });

  it('that is cut for good has an exit code of its own, and names how the rest is written', async () => {
    server.plays(download(20, 0, 3), failure(410, 'cursor_expired'));

    const ended = await user.run(['export', ...inventory]);
    server.plays(download(20, 3));
    const rest = await user.run([
      'export',
      ...inventory,
      '--from-row',
      '3',
      '--observation',
      'invobs_1',
    ]);

    expect(ended.code).toBe(1);
    expect(ended.err).toContain('3 of 20 rows are written');
    expect(ended.err).toContain('--from-row 3 --observation invobs_1');
    expect(server.requests[0]?.query.toString()).toBe('from_row=3&observation_id=invobs_1');
    expect(`${ended.out}${rest.out}`.match(/"assetid"/g)).toHaveLength(20);
    expect(rest.code).toBe(0);
  });

  it('that is interrupted names it as well', async () => {
    const interruption = new AbortController();
    server.plays(download(20));
    const write = async () => interruption.abort(new Interrupted(130));

    const ended = await user.run(['export', ...inventory, '--json'], {
      write,
      signal: interruption.signal,
    });

    expect(ended.code).toBe(130);
    expect(JSON.parse(ended.err)).toMatchObject({ row: 1, rows: 20, observation_id: 'invobs_1' });
  });
});

describe('every command', () => {
  it.each<[string[], RegExp]>([
    [['nonsense'], /unknown command 'nonsense'/],
    [['refresh', '--app', '730', '--context', '2'], /missing required argument 'platform_id'/],
    [['refresh', '7610000000000000', '--app', '730', '--context', '2'], /It must be 17 digits/],
    [['refresh', scope.platform_id, '--app', '730'], /required option '--context <id>'/],
    [['refresh', ...inventory, '--max-credits', '124'], /whole number, 125 to/],
    [['export', ...inventory, scope.platform_id], /too many arguments/],
    [['changes', ...inventory], /required option '--since <revision>'/],
    [['changes', ...inventory, '--since', '../x'], /The id of a revision must be/],
    [['watch', 'put', ...inventory, '--every', '10'], /300 to 604800/],
    [['watch', 'list', '--state', 'x'], /Allowed choices are active, paused/],
    [['listen', '--forward-to', 'file:///etc/passwd'], /must be an http or https address/],
    [['completion', 'tcsh'], /Allowed choices are bash, zsh, fish/],
  ])('refuses %j before anything is sent', async (args, message) => {
    server.plays(account);

    const ended = await user.run(args);

    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toMatch(message);
    expect(server.requests).toEqual([]);
  });

  it('explains itself, with the exit codes', async () => {
    const ended = await user.run([]);

    expect(ended.code).toBe(0);
    expect(ended.out).toMatch(/Exit codes: 0 done; 1 refused; 2 wrong usage/);
    expect((await user.run(['watch', 'put', '--help'])).out).toContain('--max-credits-per-day <n>');
  });

  it('reports a service that is not reachable, without a stack', async () => {
    const closed = await startScriptedServer();
    await closed.close();
    const environment = { INVENTORY_URL: closed.url, INVENTORY_API_KEY: apiKey };

    const ended = await user.run(['usage', '--timeout', '1'], { environment });

    expect(ended).toMatchObject({ code: 3, out: '' });
    expect(ended.err).toMatch(
      /^ConnectionError: GET \/v2\/account\/usage: ECONNREFUSED\n {2}Check/,
    );
    expect(ended.err).not.toMatch(/\bat .*:\d+:\d+/);
  });

  it('shows no bytes of a response that a terminal executes', async () => {
    const bad = '\u001b]0;x\u0007\u009b2J\u202e';
    const answer = failure(422, 'invalid_request', { detail: { issues: [{ reason: bad }] } });
    server.plays(answer);
    const shown = await user.run(['usage']);
    const page = changesData(1, 1, 0);
    server.plays(
      success({ ...page, descriptions: [{ ...page.descriptions[0], market_hash_name: bad }] }),
    );
    const changed = await user.run(['changes', ...inventory, '--since', revisionId]);
    const json = await user.run(['changes', ...inventory, '--since', revisionId, '--json']);

    for (const { out, err } of [shown, changed, json]) {
      expect(`${out}${err}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }
    expect(JSON.parse(json.out).descriptions[0].market_hash_name).toBe(bad);
  });
});

test('changes are lines, and with --json pages of the API, to the revision that goes on (Changes)', async () => {
  const page = {
    ...changesData(1, 1, 0),
    removed: [{ ...currentData(9, 1, 8).assets[0] }],
    changed: [{ asset: currentData(8, 1, 7).assets[0], amount_before: '4' }],
  };
  server.plays(success(page));

  const shown = await user.run(['changes', ...inventory, '--since', page.from_revision_id]);
  const json = await user.run([
    'changes',
    ...inventory,
    '--since',
    page.from_revision_id,
    '--json',
  ]);

  expect(shown.out.split('\n')).toEqual([
    '+  10000000000000000000  1  m0',
    '-  10000000000000000008  1',
    '~  10000000000000000007  4 -> 1  m0',
    '',
  ]);
  expect(shown.err).toContain(`--since ${page.to_revision_id}`);
  expect(JSON.parse(json.out)).toEqual(page);
});

test('a watch is put, listed and deleted in the Project of the key; its runs are listed (Watches)', async () => {
  const watch = {
    ...{ watch_id: 'wat_1', scope, every_seconds: 3_600, state: 'paused' },
    ...{ paused_reason: 'insufficient_funds', next_refresh_at: null, last_outcome: null },
    ...{ expected_credits_per_month: 7, maximum_credits_per_month: 8 },
  };
  const run = {
    at: 'now',
    outcome: null,
    credits_charged: null,
    refresh_id: refreshId,
    deliveries: [],
  };
  const lists = { pagination: { has_more: false, next_cursor: null } };
  server.responds(({ path }) => {
    if (path === '/v2/account') return account;
    if (path.endsWith('/runs')) return success({ items: [run], ...lists });
    return success(path.endsWith('/watches') ? { items: [watch], ...lists } : watch);
  });

  const every = ['--every', '3600', '--max-credits-per-day', '500', '--dry-run'];
  const ended = [
    await user.run(['watch', 'put', ...inventory, ...every]),
    await user.run(['watch', 'list', '--state', 'paused']),
    await user.run(['watch', 'runs', ...inventory, '--no-charged']),
    await user.run(['watch', 'runs', ...inventory]),
    await user.run(['watch', 'delete', ...inventory, '--json']),
  ];

  const text = `76100000000000001/730/2  paused: insufficient_funds  every 3600 s  about 7 a month, at most 8\n`;
  const runText = `now  open  ${refreshId}\n`;
  const deleted = `${JSON.stringify({ scope, deleted: true })}\n`;
  expect(ended.map(({ out }) => out)).toEqual([text, text, runText, runText, deleted]);
  const base = `/v2/projects/${projectId}/watches`;
  const own = `${base}/76100000000000001/730/2`;
  const asked = server.requests.filter(({ path }) => path !== '/v2/account');
  expect(asked.map(({ method, path, query }) => `${method} ${path}?${query}`)).toEqual([
    `PUT ${own}?`,
    `GET ${base}?state=paused`,
    `GET ${own}/runs?charged=false`,
    `GET ${own}/runs?`,
    `DELETE ${own}?`,
  ]);
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
    ...{ every_seconds: 3_600, max_credits_per_day: 500, dry_run: true },
  });
});
