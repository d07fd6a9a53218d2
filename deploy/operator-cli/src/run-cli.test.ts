import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { optionsOf } from './command-options.ts';
import { readCommands } from './operator-commands.ts';
import { runCli } from './run-cli.ts';

const commands = readCommands();

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly requests: readonly Request[];
}

const secret = 'inv_02tcRIyrxLXTR81B3dqdOx_00Shy7mTZ1Bu5bnRoNH1sQs0jRcI5ClWdZ1W9xSLm9I_1YG2eH';
const leaked = `curl -H 'X-API-Key: ${secret}' example\n`;

const environment = { OPERATOR_URL: 'http://operator.test', OPERATOR_TOKEN: 'token' };

/** Runs a command line against an API that responds to every request with an empty object. */
const run = (...args: string[]): Promise<Ended> => runWith({}, ...args);

/** The same with another text on standard input, and with other responses. */
async function runWith(
  {
    input = leaked,
    respond = async () => Response.json({}),
  }: {
    readonly input?: string;
    readonly respond?: (request: Request) => Promise<Response>;
  },
  ...args: string[]
): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []];
  const requests: Request[] = [];
  const code = await runCli({
    args,
    environment,
    directory: '/',
    readInput: async () => input,
    write: (text) => void out.push(text),
    writeError: (text) => void err.push(text),
    connection: {
      fetch: async (request) => {
        requests.push(request);
        return await respond(request.clone());
      },
    },
  });
  return { code, out: out.join(''), err: err.join(''), requests };
}

test.each(commands.map((command) => [command.words, command] as const))(
  '%s explains itself, and says what is missing when it is called without its options',
  async (words, { fields, forms, fieldsMin, sets }) => {
    const help = await run(...words.split(' '), '--help');
    const bare = await run(...words.split(' '));

    expect(help).toMatchObject({ code: 0, err: '', requests: [] });
    expect(help.out).toContain(`Usage: npm run -s operator -- ${words} `);
    for (const option of fields.flatMap(optionsOf)) {
      expect(help.out).toContain(`\n  ${option.flags}`);
    }
    const needed = fields.find(({ isRequired }) => isRequired);
    const needsOne = forms.every(({ must }) => must.some((name) => !(name in sets)));
    const missing = needed && `required option '${optionsOf(needed)[0]?.flags}'`;
    expect(bare.code === 2).toBe(missing !== undefined || needsOne || fieldsMin > 0);
    expect(bare.err).toContain(missing ?? (bare.code === 2 ? 'one of' : ''));
    expect(bare.requests).toHaveLength(bare.code === 2 ? 0 : 1);
  },
);

test('the overview names every command, and so does an empty command line', async () => {
  const { out } = await run('--help');

  for (const { words } of commands) expect(out).toContain(`\n  ${words} `);
  expect((await run()).out).toBe(out);
});

test('a noun alone is wrong usage that names its verbs', async () => {
  const { code, err } = await run('account');

  expect(code).toBe(2);
  expect(err).toMatch(/account create .*\n +account list /);
});

test.each([
  ['erase', '--platform-id', '76561190000000001', '--app-id', '730', '--context-id', '2'],
  [
    ...['prices', 'publish', '--version', '2', '--refresh-reservation', '125'],
    ...['--refresh-block', '1', '--refresh-block-assets', '2000', '--refresh-diagnostic', '1'],
    ...['--live-page', '1', '--current-page', '1'],
  ],
])(
  '%s is done with --yes only; without it, and with --dry-run, it is shown [erase, prices]',
  async (...args) => {
    const unsure = await run(...args);
    const dry = await run(...args, '--dry-run', '--yes');
    const sure = await run(...args, '--yes');

    expect([unsure, dry, sure].map(({ code, requests }) => [code, requests.length])).toEqual([
      [2, 0],
      [0, 0],
      [0, 1],
    ]);
    expect(unsure.err).toMatch(/ {2}(platform_id: 76561190000000001|version: 2)\n(.*\n)*.*--yes/);
    expect(dry.out).toMatch(/ {2}(platform_id: 76561190000000001|version: 2)\n/);
  },
);

test('a negative amount needs no equals sign', async () => {
  const line = ['adjust', '--account', 'acc_1', '--amount', '-5', '--reason', 'refund'];
  const [request] = (await run(...line)).requests;

  expect(await request?.json()).toEqual({ amount: -5, reason: 'refund' });
});

test('a booking without a key has a key of its own each time; with a key it is that key', async () => {
  const keyOf = async (...more: string[]) => {
    const { requests } = await run('top-up', '--account', 'acc_1', '--amount', '5', ...more);
    return requests[0]?.headers.get('idempotency-key');
  };

  expect(await keyOf()).toMatch(/^[0-9a-f-]{36}$/);
  expect(await keyOf()).not.toBe(await keyOf());
  expect(await keyOf('--key', 'invoice 7')).toBe('invoice 7');
});

test('a leaked secret is hashed here: what is sent names its Credential and holds no part of its entropy', async () => {
  const { code, out, err, requests } = await run('credential', 'find', '--secret-stdin');

  expect(await requests[0]?.json()).toEqual({
    public_id: '02tcRIyrxLXTR81B3dqdOx',
    secret_sha256: createHash('sha256').update(secret).digest('hex'),
  });
  expect(code).toBe(0);
  expect(out + err).not.toContain(secret.split('_')[2]);
});

/** Responds as the operator API with one Credential for each secret. */
function respondFrom(states: readonly ('valid' | 'replaced' | 'revoked' | 'unknown' | 'stuck')[]) {
  const notDone = (status: number, code: string) =>
    Response.json({ error: { code, message: 'It is not.' } }, { status });
  const path = '/operator/v1/credentials/';
  let found = 0;
  return async ({ url }: Request) => {
    const { pathname } = new URL(url);
    if (pathname !== `${path}find`) {
      const index = Number(pathname.slice(path.length).split('/')[0]);
      return states[index] === 'stuck'
        ? notDone(503, 'service_unavailable')
        : Response.json({ credential_id: String(index), state: 'revoked' });
    }
    const state = states[found];
    const credential_id = String(found);
    found += 1;
    if (state === 'unknown') return notDone(404, 'credential_not_found');
    return Response.json({
      credential_id,
      state: state === 'revoked' ? state : 'active',
      secret_valid: state === 'valid' || state === 'stuck',
    });
  };
}

test.each([
  [['valid', 'valid', 'valid'], [0, 1, 2], 0, 'keys: 3 (3 revoked)'],
  [['revoked', 'valid'], [1], 0, 'keys: 2 (2 revoked)'],
  [['replaced', 'valid'], [1], 1, 'keys: 2 (1 not valid, 1 revoked)'],
  [['unknown', 'stuck', 'valid'], [1, 2], 1, 'keys: 3 (2 failed, 1 revoked)'],
] as const)(
  'of keys that are %j each one is handled, those at %j are revoked, and the end says how many',
  async (states, revoked, exitCode, report) => {
    const texts = states.map((_state, index) => secret.replace('inv_02t', `inv_0${index}t`));
    const input = `${texts.join('\n')}\n${texts.join(', ')}\n`;
    const find = ['credential', 'find', '--secret-stdin', '--revoke'];

    const ended = await runWith({ input, respond: respondFrom(states) }, ...find);

    const revocations = ended.requests
      .map(({ url }) => /credentials\/(\d+)\/revoke$/.exec(url)?.[1])
      .filter((id) => id !== undefined);
    expect(revocations).toEqual(revoked.map(String));
    expect(ended.code).toBe(exitCode);
    expect(ended.err.split('\n').at(-2)).toBe(report);
  },
);

test('where the API is not reached any more, the end says how many keys were not handled', async () => {
  const texts = [0, 1, 2].map((index) => secret.replace('inv_02t', `inv_0${index}t`));
  const respond = respondFrom(['valid']);
  const find = ['credential', 'find', '--secret-stdin', '--revoke'];
  let calls = 0;
  const cut = async (request: Request) => {
    calls += 1;
    if (calls > 2) throw new TypeError('fetch failed');
    return await respond(request);
  };

  const ended = await runWith({ input: texts.join(' '), respond: cut }, ...find);

  expect(ended.code).toBe(1);
  expect(ended.err).toMatch(/^unreachable: (.*\n)+keys: 3 \(1 revoked, 2 not handled\)\n$/);
});

test('a field that can be null or false has an option for that; the others are not sent', async () => {
  const line = ['--account', 'acc_1', '--no-network-policy', '--no-capture-enabled'];
  const [change] = (await run('account', 'change', ...line)).requests;
  const [off] = (await run('events', 'off', '--account', 'acc_1')).requests;

  expect([change?.method, await change?.json()]).toEqual([
    'PATCH',
    { network_policy: null, capture_enabled: false },
  ]);
  expect(await off?.json()).toEqual({ events_enabled: false });
});

test('an id cannot leave its segment of the path', async () => {
  const { requests } = await run('account', 'suspend', '--account', '../admission?x=#');

  expect(requests[0]?.url).toBe(
    'http://operator.test/operator/v1/accounts/..%2Fadmission%3Fx%3D%23',
  );
});

test.each([
  [['nonsense'], /unknown command 'nonsense'/],
  [['--json'], /unknown option '--json'/],
  [['account', 'create'], /required option '--name <text>' not specified/],
  [['account', 'create', '--name', ''], /--name.* It must not be empty/],
  [['account', 'create', '--name', '..'], /--name.* It must be more than dots/],
  [['account', 'create', '--name', '--json'], /--name.* It is the name of an option/],
  [['account', 'create', '--name', 'x', '--nam', 'x'], /unknown option '--nam'/],
  [['account', 'create', '--name', 'x', 'y'], /too many arguments/],
  [['account', 'list', '--limit', 'ten'], /--limit.* It must be a whole number/],
  [['balance', '--account', 'a', '--account', 'b'], /--account.* It is given more than once/],
  [['account', 'change', '--account', 'a'], /at least one of --state, --network-policy, --rate/],
  [
    [
      'account',
      'change',
      '--account',
      'a',
      '--traffic-limit-per-minute',
      '5',
      '--no-traffic-limit-per-minute',
    ],
    /--traffic-limit-per-minute and --no-traffic-limit-per-minute exclude each other/,
  ],
  [['credential', 'change', '--credential', 'c', '--scope', 'root'], /--scope.* It must be one of/],
  [
    ['webhook', 'redeliver', '--project', 'p', '--endpoint', 'e'],
    /exactly one of --event, --since/,
  ],
  [
    ['webhook', 'redeliver', '--project', 'p', '--endpoint', 'e', '--event', 'x', '--since', 'y'],
    /exactly one of --event, --since/,
  ],
  [['statement', '--account', 'a', '--all'], /--all goes with --csv only/],
  [
    ['statement', '--account', 'a', '--csv', '--json'],
    /'--json' cannot be used with option '--csv'/,
  ],
])('%j is refused before anything is called', async (args, message) => {
  const ended = await run(...args);

  expect(ended).toMatchObject({ code: 2, out: '', requests: [] });
  expect(ended.err).toMatch(message);
});

test('a reader that closes the output early ends the program without output', async () => {
  const program = join(__dirname, '../dist/main.js');
  const cli = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  cli.stdout.destroy();
  const [errors, [code]] = await Promise.all([text(cli.stderr), once(cli, 'close')]);
  expect({ errors, code }).toEqual({ errors: '', code: 0 });
});
