import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { verifyWebhook } from '@inventory/client/verify-webhook';
import { isRunning } from '@inventory/testkit/is-running';
import { waitFor } from '@inventory/testkit/wait-for';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { startReceiver } from '../../services/event-stream/test/support/http-receiver.ts';
import { openCommandLine } from './support/command-line.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { readProjectLog } from './support/project-log.ts';
import { newReadingCustomer, refreshOnePages } from './support/reading-customer.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { createSimulatorControl, scenarioScope, sizeScope } from './support/simulator-control.ts';

/** The compiled command line against the whole product, as a customer uses it. */
const stack = openSharedStack();
const simulator = createSimulatorControl(stack.simulatorUrl);
let truth: TruthReader;
let lines: ReturnType<typeof openCommandLine>[] = [];

beforeAll(async () => {
  truth = await openTruthReader();
});
afterEach(async () => {
  await Promise.all(lines.map((line) => line.close()));
  lines = [];
});
afterAll(async () => {
  await truth?.close();
  await stack.close();
});

function open(environment: Readonly<Record<string, string>> = {}) {
  const line = openCommandLine(environment);
  lines.push(line);
  return line;
}

function of(scope: { platform_id: string; app_id: number; context_id: number }): string[] {
  return [scope.platform_id, '--app', String(scope.app_id), '--context', String(scope.context_id)];
}

const idsIn = (text: string) => new Set(valuesIn(text).map(({ event_id }) => event_id));
const valuesIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('from a key to an inventory, its changes, a watch and the usage; the key is in no output (Refresh, Current, Changes, Watches)', async () => {
  const scope = sizeScope(2_001, 73_000);
  const { assets } = await truth.of(scope);
  const { projectId } = await stack.operator.newCustomer();
  const scopes = ['*', 'customer.account.read.v1'];
  const { secret } = await stack.operator.newCredential(projectId, { scopes });
  const cli = open();

  const login = await cli.run(['login', '--url', stack.gatewayUrl, '--json'], `${secret}\n`);
  const refresh = await cli.run(['refresh', ...of(scope), '--wait', '--json']);
  const [record] = valuesIn(refresh.out);
  const since = ['--since', record.revision_id];
  const others = await Promise.all([
    cli.run(['export', ...of(scope)]),
    cli.run(['changes', ...of(scope), ...since, '--json']),
    cli.run(['watch', 'put', ...of(scope), '--every', '3600', '--dry-run', '--json']),
    cli.run(['refresh', ...of(scenarioScope('private', 73_000)), '--wait', '--json']),
  ]);
  const [exported, changes, watch, closed] = others;
  const usage = await cli.run(['usage']);

  const all = [login, refresh, ...others, usage];
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 4, 0]);
  expect(valuesIn(login.out)).toEqual([
    expect.objectContaining({ project_id: projectId, stored_in: expect.any(String) }),
  ]);
  expect(statSync(join(cli.home, '.config/inventory/access.json')).mode & 0o777).toBe(0o600);
  expect(record).toMatchObject({ outcome: 'complete_changed', billing: { credits_charged: 2 } });
  expect(valuesIn(exported.out).map(({ asset }) => asset.assetid)).toEqual(
    assets.map(({ assetid }) => assetid),
  );
  expect(exported.err).toContain('100 % of 2001 rows\n');
  expect(valuesIn(changes.out)).toMatchObject([{ counts: { added: 0, removed: 0, changed: 0 } }]);
  expect(valuesIn(watch.out)).toMatchObject([{ watch_id: null, every_seconds: 3_600 }]);
  expect(valuesIn(closed.out)).toMatchObject([{ outcome: 'private', revision_id: null }]);
  expect(usage.out).toMatch(
    /█.* 5\n[\s\S]*platform\.inventory\.refresh\.v1 +3\ntotal credits +5\n/,
  );
  expect(JSON.stringify(all)).not.toContain(secret);
});

test('a refusal has code, request id and remedy, Ctrl-C and a reader that ends have exit codes; no stack, no key (Errors)', async () => {
  const scope = sizeScope(2_001, 73_001);
  const held = sizeScope(5, 73_002);
  const { secret, api, projectId } = await stack.operator.newCustomer({ credits: 300 });
  await untilCompleted(api, projectId, [await api.accepted(scope)]);
  await simulator.hold(held);
  const environment = { INVENTORY_URL: stack.gatewayUrl, INVENTORY_API_KEY: secret };
  const cli = open(environment);

  const waiting = cli.start(['refresh', ...of(held), '--wait']);
  await waitFor('it waits', () => waiting.err().includes('0 of 1 ended'));
  waiting.child.kill('SIGINT');
  const interrupted = await waiting.ended;
  const cut = cli.start(['export', ...of(scope)]);
  cut.child.stdout?.once('data', () => cut.child.stdout?.destroy());
  const [refused, head] = await Promise.all([
    cli.run([
      'refresh',
      ...of(sizeScope(5, 73_003)),
      ...['--max-credits', '125'],
      '--key',
      'other',
    ]),
    cut.ended,
  ]);
  await simulator.release(held);
  const [, key = ''] = /--key (\S+)\. Nothing is requested twice/.exec(waiting.err()) ?? [];
  const again = await cli.run(['refresh', ...of(held), '--wait', '--key', key, '--json']);
  const unknown = await open({ ...environment, INVENTORY_API_KEY: 'inv_unknown' }).run(['events']);

  expect([interrupted, head, again.code, unknown.code]).toEqual([130, 0, 0, 1]);
  expect(refused.code).toBe(0);
  expect(valuesIn(again.out)).toMatchObject([{ scope: held, outcome: 'complete_changed' }]);
  expect(unknown.err).toMatch(/^invalid_api_key: .*\n {2}request_id: req_.*\n {2}Check the key/);
  const shown = [waiting.err(), cut.err(), refused.err, again.err, unknown.err].join('\n');
  expect(shown).not.toMatch(/\bat .*:\d+:\d+|inv_unknown|EPIPE/);
  expect(shown).not.toContain(secret);
});

test('listen, suspended while events are appended, loses none: each arrives in order, verified, and its next start continues after them (Events: webhooks)', async () => {
  const customer = await newReadingCustomer(stack);
  const receiver = await startReceiver();
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const cli = open({
    INVENTORY_URL: stack.gatewayUrl,
    INVENTORY_API_KEY: customer.secret,
    INVENTORY_WEBHOOK_SECRET: secret,
  });
  const line = ['listen', '--forward-to', `${receiver.url}/hook`, '--json'];
  const listening = cli.start([...line, '--from', 'oldest']);
  const idsOf = (hooks: typeof receiver.hooks) =>
    new Set(hooks.map(({ headers, raw }) => verifyWebhook(headers, raw, secret).id));
  const arrived = (count: number) =>
    waitFor('they have arrived', () => idsOf(receiver.hooks).size === count);

  await refreshOnePages(customer, [73_010]);
  await arrived(1);
  listening.child.kill('SIGSTOP');
  await refreshOnePages(customer, [73_011, 73_012, 73_013]);
  listening.child.kill('SIGCONT');
  await arrived(4);
  await waitFor('the last one is accepted', () => idsIn(listening.out()).size === 4);
  listening.child.kill('SIGINT');
  const code = await listening.ended;
  await refreshOnePages(customer, [73_014]);
  const next = cli.start(line);
  await arrived(5);
  next.child.kill('SIGTERM');

  const log = await readProjectLog(stack, customer.projectId);
  // One that is appended while the stored ones are read arrives with them and on the stream.
  expect([...idsOf(receiver.hooks)]).toEqual(log.map(({ eventId }) => eventId));
  expect([code, await next.ended]).toEqual([130, 143]);
  expect(valuesIn(next.err())[0]).toMatchObject({
    signed: true,
    from: expect.stringMatching(/.{9}/),
  });
  await receiver.close();
});

test('an MCP host refreshes, finds, exports and compares within the spend cap of its key, which no result has; disconnected, the program ends (Refresh, Current, Changes, Spend cap per Credential) [credential-spend-cap]', async () => {
  const scope = sizeScope(2_001, 73_020);
  const { assets } = await truth.of(scope);
  const { projectId } = await stack.operator.newCustomer();
  const { secret, credentialId } = await stack.operator.newCredential(projectId);
  const cap = { credential_id: credentialId, cap: 128, 'idempotency-key': randomUUID() };
  await stack.operator.call('setCredentialSpendCap', cap);
  const cli = open({ INVENTORY_URL: stack.gatewayUrl, INVENTORY_API_KEY: secret });
  const transport = new StdioClientTransport({ ...cli.commandOf(['mcp']), stderr: 'pipe' });
  const host = new Client({ name: 'host', version: '1' });
  const results: string[] = [];
  async function call(name: string, given: object = {}) {
    const params = { name, arguments: { ...given } };
    const { content } = (await host.callTool(params)) as CallToolResult;
    const [block] = content;
    const text = block?.type === 'text' ? block.text : '';
    results.push(text);
    return text;
  }
  async function untilEnded(): Promise<Record<string, unknown>> {
    const record = JSON.parse(await call('refresh_inventory', scope));
    return record.state === 'completed' ? record : untilEnded();
  }

  await host.connect(transport);
  const { tools } = await host.listTools();
  const unknown = await call('summarize_inventory', scope);
  const record = await untilEnded();
  const summary = JSON.parse(await call('summarize_inventory', scope));
  const [first] = assets;
  const asked = { ...scope, asset_ids: [first?.assetid, '1'] };
  const found = JSON.parse(await call('find_assets', asked));
  const handle = JSON.parse(await call('export_inventory', scope));
  const since = { ...scope, since: record['revision_id'] };
  const changes = JSON.parse(await call('read_changes', since));
  const account = JSON.parse(await call('read_account'));
  const refused = await call('refresh_inventory', scope);
  const { pid } = transport;
  await host.close();

  expect(tools.map(({ name }) => name)).not.toContain('list_events');
  expect(unknown).toMatch(/^inventory_revision_not_found: .*\n {2}request_id: req_/);
  expect(record).toMatchObject({ outcome: 'complete_changed', billing: { credits_charged: 2 } });
  expect(summary).toMatchObject({ total_count: 2_001, revision_id: record['revision_id'] });
  expect(found).toMatchObject({
    found: [{ assetid: first?.assetid, name: expect.any(String) }],
    not_in_revision: ['1'],
    meta: { credits_charged: 1 },
  });
  expect(handle).toMatchObject({ rows: 2_001, revision_id: record['revision_id'] });
  expect(valuesIn(readFileSync(handle.path, 'utf8')).map(({ asset }) => asset.assetid)).toEqual(
    assets.map(({ assetid }) => assetid),
  );
  expect(changes).toMatchObject({ counts: { added: 0 }, meta: { credits_charged: 0 } });
  expect(account).toMatchObject({ credential_spend_cap: { cap: 128, spent: 5 } });
  expect(refused).toMatch(
    /^spend_cap_reached: .*\n {2}scope: "credential"\n[\s\S]* request_id: req_/,
  );
  expect(JSON.stringify([tools, results])).not.toContain(secret);
  expect(isRunning(pid ?? 0)).toBe(false);
  const left = cli.start(['mcp']);
  expect([await left.ended, left.out(), left.err()]).toEqual([0, '', '']);
});

test('the script for bash completes what is typed, with the commands of the program', async () => {
  const { out: script } = await open().run(['completion', 'bash']);
  const main = join(__dirname, '../../libs/cli/dist/main.js');
  const line =
    'COMP_WORDS=(inventory watch put --ma) COMP_CWORD=3; _inventory; declare -p COMPREPLY';
  const program = `inventory() { "${process.execPath}" "${main}" "$@"; }`;

  const printed = execFileSync('bash', ['-c', [program, script, line].join('\n')]);

  expect(printed.toString()).toBe('declare -a COMPREPLY=([0]="--max-credits-per-day")\n');
});
