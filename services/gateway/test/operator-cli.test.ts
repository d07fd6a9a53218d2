import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newAccountId } from '@inventory/testkit/builders';
import { startHttpFake } from './support/http-fake.ts';
import { type CommandEnd, runOperator, runOperatorProcess } from './support/operator-command.ts';
import { type OperatorWorld, openOperatorWorld } from './support/operator-world.ts';

let world: OperatorWorld;

beforeAll(async () => {
  world = await openOperatorWorld();
});

afterAll(() => world?.close());

function operator(...args: string[]): Promise<CommandEnd> {
  return runOperator({ OPERATOR_URL: world.url, OPERATOR_TOKEN: world.token }, args);
}

async function newAccount(): Promise<string> {
  return (await operator('account', 'create', '--name', 'Trader', '--json')).json.account_id;
}

test('from an account to a revoked key, every step by its own command', async () => {
  const account = await newAccount();
  const project = (await operator('project', 'create', '--account', account, '--json')).json;
  const of = ['--project', project.project_id];
  const issued = await operator('credential', 'issue', ...of, '--scope', '*', '--json');
  const credential = ['--credential', issued.json.credential_id];
  const rotated = await operator('credential', 'rotate', ...credential, '--json');

  expect(issued.err).toMatch(/shown this once/);
  expect(rotated.json.secret).toMatch(/^inv_/);
  expect(await world.tenancy.principals.findPrincipal(rotated.json.secret)).not.toBeNull();
  const revoked = await operator('credential', 'revoke', ...credential);
  expect(revoked).toMatchObject({ code: 0, out: expect.stringMatching(/^state +revoked$/m) });
  expect(await world.tenancy.principals.findPrincipal(rotated.json.secret)).toBeNull();
});

test('a leaked key names its Credential without being sent, and is revoked only where it is valid', async () => {
  const account = await newAccount();
  const project = (await operator('project', 'create', '--account', account, '--json')).json;
  const of = ['--project', project.project_id, '--scope', '*', '--json'];
  const { secret: replaced, credential_id } = (await operator('credential', 'issue', ...of)).json;
  const rotated = await operator('credential', 'rotate', '--credential', credential_id, '--json');
  const environment = { OPERATOR_URL: world.url, OPERATOR_TOKEN: world.token };
  const find = (input: string, ...more: string[]) =>
    runOperator(environment, ['credential', 'find', '--secret-stdin', ...more], undefined, input);

  const old = await find(replaced, '--revoke');
  const nothing = await find('no key here');
  const unknown = await find(rotated.json.secret.replace(/^inv_.{8}/, 'inv_00000000'));
  expect(old).toMatchObject({ code: 1, err: expect.stringContaining('Nothing is revoked') });
  expect(old.out).toMatch(new RegExp(`^credential_id +${credential_id}$`, 'm'));
  expect(nothing).toMatchObject({ code: 2, out: '' });
  expect(unknown.err).toMatch(/^credential_not_found/);
  expect(await world.tenancy.principals.findPrincipal(rotated.json.secret)).not.toBeNull();

  const leaked = await find(`key: ${rotated.json.secret}\n`, '--revoke');

  expect(leaked).toMatchObject({ code: 0, out: expect.stringMatching(/^state +revoked$/m) });
  expect(await world.tenancy.principals.findPrincipal(rotated.json.secret)).toBeNull();
  for (const secret of [replaced, rotated.json.secret]) {
    const entropy = secret.split('_')[2];
    const { json } = await world.call({ path: '/audit?limit=100' });
    expect(world.log.join('') + JSON.stringify(json)).not.toContain(entropy);
  }
});

test('as a process it writes where a shell expects it, and ends with its exit code', async () => {
  const account = await newAccount();
  const environment = { OPERATOR_URL: world.url, OPERATOR_TOKEN: world.token };
  const show = ['account', 'show', '--json', '--account'];

  const [shown, unknown] = await Promise.all([
    runOperatorProcess(environment, [...show, account]),
    runOperatorProcess(environment, [...show, 'acc_00000000-0000-7000-8000-000000000000']),
  ]);

  expect(shown).toMatchObject({ code: 0, json: { account_id: account }, err: '' });
  expect(unknown).toMatchObject({ code: 1, out: '' });
  expect(JSON.parse(unknown.err).error.code).toBe('account_not_found');
});

test('--json prints exactly what the API answers', async () => {
  const account = await newAccount();
  const { text } = await world.call({ path: `/accounts/${account}` });

  const shown = await operator('account', 'show', '--account', account, '--json');

  expect(shown).toMatchObject({ code: 0, out: `${text}\n`, err: '' });
});

test('limits are set by their commands', async () => {
  const account = await newAccount();
  const of = ['--account', account];

  const ends = [
    await operator('account', 'change', ...of, '--rate-limit-per-minute', '600'),
    await operator(
      ...['account', 'change', ...of, '--network-policy', '10.0.0.0/8', '--network-policy', '::1'],
    ),
    await operator('events', 'on', ...of),
    await operator('capture', 'on', ...of),
    await operator('capture', 'off', ...of),
    await operator('account', 'suspend', ...of),
  ];

  expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0));
  expect((await world.call({ path: `/accounts/${account}` })).json).toMatchObject({
    capture_enabled: false,
    rate_limit_per_minute: 600,
    network_policy: ['10.0.0.0/8', '::1/128'],
    events_enabled: true,
    state: 'suspended',
  });
});

test('a refusal is exit code 1 with the code and what is wrong on standard error', async () => {
  const unknownId = 'acc_00000000-0000-7000-8000-000000000000';

  const unknown = await operator('account', 'show', '--account', unknownId);
  const wrong = await operator('account', 'show', '--account', 'me');
  const asJson = await operator('account', 'show', '--account', unknownId, '--json');

  expect(unknown).toMatchObject({ code: 1, out: '' });
  expect(unknown.err).toBe('account_not_found: There is no such account.\n');
  expect(wrong.code).toBe(1);
  expect(wrong.err).toMatch(/^invalid_request: .*\n {2}path account_id must be acc_/);
  expect(asJson).toMatchObject({ code: 1, out: '' });
  expect(JSON.parse(asJson.err).error.code).toBe('account_not_found');
});

test('wrong usage is exit code 2, says what is right, and calls nothing', async () => {
  const before = world.log.length;

  const wrong = await operator('account', 'create', '--nam', 'x');

  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.err).toContain(
    'Usage: npm run -s operator -- account create --name <text> [options]',
  );
  expect(world.log).toHaveLength(before);
});

test('without an address, or with a half of one, it says how to give one', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'no-stack-'));
  try {
    const none = await runOperator({}, ['verify'], empty);
    const half = await runOperator({ OPERATOR_URL: world.url }, ['verify'], empty);

    expect(none).toMatchObject({ code: 2, out: '' });
    expect(none.err).toContain('OPERATOR_URL and OPERATOR_TOKEN');
    expect(half.code).toBe(2);
  } finally {
    rmSync(empty, { recursive: true });
  }
});

test('an address where nothing or something else answers is exit code 1', async () => {
  const page = await startHttpFake(() => ({ status: 200, body: '<html>' }));
  try {
    const nothing = { OPERATOR_URL: 'http://127.0.0.1:1', OPERATOR_TOKEN: world.token };
    const other = { OPERATOR_URL: page.url, OPERATOR_TOKEN: world.token };
    const topUp = ['top-up', '--account', 'acc_1', '--amount', '5', '--key', 'mine'];

    const unreachable = await runOperator(nothing, topUp);
    const stranger = await runOperator(other, topUp);

    expect(unreachable).toMatchObject({ code: 1, out: '' });
    expect(unreachable.err).toMatch(/^unreachable: .*\nrun it again with --key mine/);
    expect(stranger).toMatchObject({ code: 1, out: '' });
    expect(stranger.err).toMatch(/^http_200: the address does not answer as the operator API/);
  } finally {
    await page.close();
  }
});

test('a wrong token is refused and printed nowhere', async () => {
  const token = 'wrong-token-0123456789';
  const end = await runOperator({ OPERATOR_URL: world.url, OPERATOR_TOKEN: token }, ['verify']);

  expect(end).toMatchObject({ code: 1, out: '' });
  expect(end.err).toMatch(/^operator_token_required: /);
  expect(end.err).not.toContain(token);
});

test('credits are added once per key, corrected, and listed', async () => {
  const of = ['--account', await newAccount()];
  const topUp = () => operator('top-up', ...of, '--amount', '500', '--key', 'k1', '--json');

  const [first, again] = [await topUp(), await topUp()];
  const adjusted = await operator('adjust', ...of, '--amount', '-20', '--reason', 'refund 7');
  const balance = await operator('balance', ...of);
  const statement = await operator('statement', ...of);

  expect(again.out).toBe(first.out);
  expect(adjusted).toMatchObject({ code: 0, err: '' });
  expect(balance.out).toMatch(/^ASSET +TOTAL +HELD +AVAILABLE$/m);
  expect(balance.out).toMatch(/^credits +480 +0 +480$/m);
  expect(statement.out).toMatch(/adjust +credits +-20 +0 +480 +0 +- +refund 7$/m);
});

test('funding, units and spend caps are set by their commands and shown [spend-cap-reached, spend-cap]', async () => {
  const account = await newAccount();
  const of = ['--account', account];
  const project = (await operator('project', 'create', ...of, '--json')).json.project_id;

  const ends = [
    await operator(
      ...[
        'funding',
        'set',
        ...of,
        '--mode',
        'subscription',
        '--units-per-month',
        '50000',
        '--key',
        'plan',
      ],
    ),
    await operator('grant-units', ...of, '--amount', '40'),
    await operator('adjust', ...of, '--asset', 'units', '--amount', '-4', '--reason', 'slip'),
    await operator('spend-cap', 'set', '--project', project, '--cap', '20000'),
  ];
  const terms = await operator('terms', ...of, '--json');
  const neither = await operator('funding', 'set', ...of);
  const back = await operator('funding', 'set', ...of, '--mode', 'credits', '--json');

  expect(ends.map(({ code, err }) => [code, err])).toEqual(ends.map(() => [0, '']));
  expect(terms.json).toMatchObject({
    funding: { mode: 'subscription', units_per_month: 50_000 },
    spend_caps: [{ project_id: project, cap: 20_000 }],
  });
  expect(neither.code).toBe(2);
  expect(neither.err).toContain("required option '--mode <credits|subscription>'");
  expect(back.json.funding).toEqual({ mode: 'credits' });
});

test('a price list is published once, and listed [prices]', async () => {
  const prices = ['--refresh-reservation', '200', '--refresh-block-assets', '2000'];
  prices.push('--refresh-diagnostic', '1');
  prices.push('--live-page', '2', '--current-page', '1');
  const publish = (version: string, date: string, block = '2') =>
    operator(
      ...['prices', 'publish', '--yes', '--version', version, '--effective-at', date],
      ...[...prices, '--refresh-block', block],
    );

  const date = '2100-01-01T00:00:00.000Z';
  const [first, again] = [await publish('2', date), await publish('2', date)];
  const other = await publish('2', '2100-01-02T00:00:00.000Z');
  const late = await publish('3', '2026-01-01T00:00:00.000Z');
  const negative = await publish('3', date, '-1');
  const incomplete = await operator('prices', 'publish', '--version', '3');
  const listed = await operator('prices', 'list');

  expect(again.out).toBe(first.out);
  expect(other.err).toMatch(/^price_version_conflict: .*\n {2}next_version: 3$/m);
  expect(late.err).toMatch(/^effective_date_too_early: /);
  expect(negative.err).toMatch(/^invalid_request: .*\n {2}body refresh_block /);
  expect([first, other, late, negative, incomplete].map(({ code }) => code)).toEqual([
    ...[0, 1, 1, 1, 2],
  ]);
  expect(listed.out).toMatch(/^2 +2100-01-01T00:00:00.000Z +200 +2 +2000 +1 +2 +2 +2 +1$/m);
  const audited = world.log.filter((line) => line.includes('"prices.publish"'));
  expect(audited.map((line) => JSON.parse(line).audit)).toEqual([
    expect.objectContaining({ version: 2, refresh_reservation: 200, outcome: 'done' }),
    expect.objectContaining({ version: 2, outcome: 'done' }),
    expect.objectContaining({ version: 2, outcome: 'price_version_conflict' }),
    expect.objectContaining({ version: 3, outcome: 'effective_date_too_early' }),
  ]);
});

test('--csv --all is the whole statement as one file', async () => {
  const account = await newAccount();
  world.books.grant(account, 101);

  const all = await operator('statement', '--account', account, '--csv', '--all');
  const part = await operator('statement', '--account', account, '--csv', '--limit', '1');

  const lines = all.out.split('\r\n');
  expect(lines).toHaveLength(1 + 101 + 1);
  expect(lines.filter((line) => line.startsWith('entry_id,'))).toHaveLength(1);
  expect(all).toMatchObject({ code: 0, err: '' });
  expect(part.out.split('\r\n')).toHaveLength(3);
  expect(part.err).toMatch(/^more: --cursor /);
});

test('quarantined accounts are shown, and lifted one by one', async () => {
  const one = { account_id: newAccountId(), since: '2026-10-05T12:00:00.000Z', detail: 'a gap' };
  const other = { ...one, account_id: newAccountId() };
  world.books.quarantined = [one, other];

  const listed = await operator('quarantine', 'list');
  const lifted = await operator('quarantine', 'lift', '--account', one.account_id, '--json');
  const again = await operator('quarantine', 'lift', '--account', one.account_id, '--json');
  const rest = await operator('quarantine', 'list', '--json');

  expect(listed).toMatchObject({ code: 0, err: '' });
  expect(listed.out).toContain(one.account_id);
  expect(lifted.json).toEqual({ account_id: one.account_id, lifted: true });
  expect(again.json).toEqual({ account_id: one.account_id, lifted: false });
  expect(rest.json).toEqual({ accounts: [other] });
});

test('a verification that finds a problem is exit code 1, and one that finds none is 0', async () => {
  const good = await operator('verify');
  const problems = [{ account_id: 'acc_1', seq: 7, problem: 'gap' }];
  const report = { ...world.books.report, ok: false, accounts: 2, entries: 9, problems };
  world.books.report = report;

  const bad = await operator('verify');
  const badJson = await operator('verify', '--json');

  expect(good).toMatchObject({ code: 0, err: '' });
  expect(bad.code).toBe(1);
  expect(bad.out).toMatch(/^acc_1 +7 +gap$/m);
  expect(badJson.code).toBe(1);
  expect(badJson.json.problems).toEqual(problems);
});

test('admission is closed and opened, an inventory erased [erase]', async () => {
  const closed = await operator('admission', 'close', '--json');
  const shown = await operator('admission', 'show');
  const opened = await operator('admission', 'open', '--json');
  const scope = ['--platform-id', '76561198000000000', '--app-id', '730', '--context-id', '2'];
  const erased = await operator('erase', '--yes', ...scope);

  expect(closed.json.state).toBe('closed');
  expect(shown.out).toMatch(/^reason +operator_closed$/m);
  expect(opened.json.state).toBe('open');
  expect(erased.out).toMatch(/^erased +true$/m);
  expect(world.erased).toContain('/inventories/76561198000000000/730/2');
});

test('no token and no secret is ever written to standard error', async () => {
  const account = await newAccount();
  const project = (await operator('project', 'create', '--account', account, '--json')).json;
  const issued = await operator(
    ...['credential', 'issue', '--project', project.project_id, '--scope', '*'],
  );
  const listed = await operator('credential', 'list', '--project', project.project_id);

  const secret = /inv_[0-9A-Za-z_]+/.exec(issued.out)?.[0] ?? 'none';
  expect(secret).toHaveLength(77);
  expect(issued.err).not.toContain(secret);
  expect(listed.out + listed.err).not.toContain(secret);
  expect(listed.out).toMatch(/^CREDENTIAL_ID +NAME +STATE +PUBLIC_ID +SCOPES +EXPIRES_AT$/m);
});
