import { world } from './support/file-operator-world.ts';
import { startHttpFake } from './support/http-fake.ts';
import { type CommandEnd, runOperator, runOperatorProcess } from './support/operator-command.ts';

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

test('leaked keys name their Credentials without being sent, and are revoked where they are valid', async () => {
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
  expect(old).toMatchObject({ code: 1, err: 'keys: 1 (1 not valid)\n' });
  expect(old.out).toMatch(new RegExp(`^credential_id +${credential_id}$`, 'm'));
  expect(nothing).toMatchObject({ code: 2, out: '' });
  expect(unknown.err).toMatch(/^credential_not_found/);
  expect(await world.tenancy.principals.findPrincipal(rotated.json.secret)).not.toBeNull();

  const { secret: other } = (await operator('credential', 'issue', ...of)).json;
  const leaked = await find(`keys: ${rotated.json.secret}\n${other}`, '--revoke');

  expect(leaked).toMatchObject({ code: 0, err: 'keys: 2 (2 revoked)\n' });
  expect(leaked.out.match(/^state +revoked$/gm)).toHaveLength(2);
  for (const secret of [rotated.json.secret, other]) {
    expect(await world.tenancy.principals.findPrincipal(secret)).toBeNull();
  }
  for (const secret of [replaced, rotated.json.secret, other]) {
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
    expect(stranger.err).toMatch(/^http_200: the address does not respond as the operator API/);
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
