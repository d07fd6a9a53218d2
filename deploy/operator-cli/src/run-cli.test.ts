import { createHash } from 'node:crypto';
import { runCli, verbs } from './run-cli.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly requests: readonly Request[];
}

const secret = 'inv_02tcRIyrxLXTR81B3dqdOx_00Shy7mTZ1Bu5bnRoNH1sQs0jRcI5ClWdZ1W9xSLm9I_1YG2eH';
const leaked = `curl -H 'X-API-Key: ${secret}' example\n`;

const environment = { OPERATOR_URL: 'http://operator.test', OPERATOR_TOKEN: 'token' };

/** Runs a command line against an API that answers every request with an empty object. */
async function run(...args: string[]): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []];
  const requests: Request[] = [];
  const code = await runCli({
    args,
    environment,
    directory: '/',
    readInput: async () => leaked,
    write: (text) => void out.push(text),
    writeError: (text) => void err.push(text),
    connection: {
      fetch: async (request) => {
        requests.push(request);
        return Response.json({});
      },
    },
  });
  return { code, out: out.join(''), err: err.join(''), requests };
}

test.each(verbs.map((verb) => [verb.words, verb] as const))(
  '%s explains itself, and says what is missing when it is called without its options',
  async (words, { options, exactlyOne = [] }) => {
    const help = await run(...words.split(' '), '--help');
    const bare = await run(...words.split(' '));

    expect(help).toMatchObject({ code: 0, err: '', requests: [] });
    expect(help.out).toContain(`Usage: npm run -s operator -- ${words} [options]`);
    for (const { option } of options) expect(help.out).toContain(`\n  ${option.flags}`);
    const needed = options.find(({ option }) => option.mandatory)?.option.flags;
    const missing = needed ?? (exactlyOne.length > 0 ? 'exactly one of' : null);
    expect(bare.code === 2).toBe(missing !== null);
    expect(bare.err).toContain(missing ?? '');
    expect(bare.requests).toHaveLength(missing === null ? 1 : 0);
  },
);

test('the overview names every command, and so does an empty command line', async () => {
  const { out } = await run('--help');

  for (const { words } of verbs) expect(out).toContain(`\n  ${words} `);
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
    ...['prices', 'publish', '--version', '2', '--reservation', '125', '--block', '1'],
    ...['--block-assets', '2000', '--diagnostic', '1', '--live-page', '1', '--current-page', '1'],
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

test('an id cannot leave its place in the path', async () => {
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
  [
    ['network-policy', 'set', '--none'],
    /exactly one of --account, --project, --service-account, --credential/,
  ],
  [['network-policy', 'set', '--account', 'a'], /exactly one of --allow, --none/],
  [['expiry', 'set', '--credential', 'c', '--never', '--at', 'x'], /exactly one of --at, --never/],
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
