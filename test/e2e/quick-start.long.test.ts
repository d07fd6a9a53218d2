import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { machineEnvironment } from '../support/start-command.ts';
import type { Customer } from './support/operator.ts';
import { scenarioScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

let stack: TestStack;
let directory: string;

beforeAll(async () => {
  stack = await openTestStack();
  directory = mkdtempSync(join(tmpdir(), 'quick-start-'));
});
afterAll(async () => {
  await stack?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Commands print the body, unless they save it, and as the last line the status. */
const printsStatus = `curl() { command curl -sS -w '\\n%{http_code}' "$@"; }\n`;

interface BlockResponse {
  readonly status: string;
  /** Where the command shows them. */
  readonly headers: string;
  /** The body, without the envelope of V2. */
  readonly data: Readonly<Record<string, unknown>>;
}

const pageOf = (name: string) =>
  readFileSync(join(__dirname, `../../docs/customers/${name}.md`), 'utf8');
const blocksOf = (page: string) =>
  [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block);

async function run(block: string, environment: NodeJS.ProcessEnv): Promise<BlockResponse> {
  const { stdout } = await promisify(execFile)('bash', ['-c', printsStatus + block], {
    env: environment,
    cwd: directory,
    maxBuffer: 16 * 1024 * 1024,
  });
  const end = stdout.lastIndexOf('\n');
  const shown = stdout.slice(0, end);
  const bodyAt = shown.startsWith('HTTP/') ? shown.indexOf('\r\n\r\n') + 4 : 0;
  const body = bodyAt === shown.length ? {} : JSON.parse(shown.slice(bodyAt));
  const headers = shown.slice(0, bodyAt);
  return { status: stdout.slice(end + 1), headers, data: body.data ?? body };
}

const environmentOf = (customer: Customer, secret: string): NodeJS.ProcessEnv => ({
  ...machineEnvironment(),
  BASE: stack.gatewayUrl,
  KEY: secret,
  PROJECT_ID: customer.projectId,
});

test('every request of docs/customers/quick-start.md succeeds in its order, at the price it states (Refresh, Status, Current, Live Page)', async () => {
  const scope = scenarioScope('size-4001', 1);
  const customer = await stack.operator.newCustomer({ credits: 125 });
  const { secret } = await stack.operator.newCredential(customer.projectId, {
    scopes: ['*'],
  });
  const environment = environmentOf(customer, secret);

  const responses: BlockResponse[] = [];
  // Those of the command line have tests of their own, and the last of them never ends.
  const blocks = blocksOf(pageOf('quick-start')).filter((block) => block.includes('curl'));
  for (const block of blocks) {
    // Later commands name what earlier ones returned.
    const returned = responses.map(({ data }) => data);
    const known = (name: string) => String(returned.find((data) => data[name])?.[name]);
    const command = block
      .replaceAll('76100500000000000', scope.platform_id)
      .replaceAll('invrev_…', known('revision_id'));
    responses.push(await run(command, { ...environment, REFRESH_ID: known('refresh_id') }));
  }

  expect(responses.map(({ status }) => status).join(' ')).toBe('202 200 200 200 200 200 200');
  const [accepted, ended, current, , changes, batch, live] = responses.map(({ data }) => data);
  expect(accepted).toMatchObject({
    state: 'queued',
    billing: { state: 'reserved', credits_reserved: 125 },
  });
  expect(ended).toMatchObject({
    state: 'completed',
    outcome: 'complete_changed',
    billing: { credits_charged: 3, credits_released: 122 },
  });
  expect(current).toMatchObject({ total_count: 4001, pagination: { has_more: true } });
  const exported = readFileSync(join(directory, 'inventory.ndjson'), 'utf8').trimEnd().split('\n');
  expect(exported).toHaveLength(4001 + 1);
  expect(JSON.parse(exported.at(-1) ?? '')).toMatchObject({ end: { rows: 4001 } });
  expect(changes).toMatchObject({ added: [], removed: [], changed: [] });
  expect(live).toMatchObject({ total_count: 4001 });
  expect(batch?.['items']).toEqual([
    expect.objectContaining({ result: 'accepted', status: 200, idempotency_key: 'order-4712' }),
  ]);
  // The refresh, a page of Current, the three of the export, a Live Page.
  const price = 3 + 1 + 3 + 1;
  expect(await stack.operator.balance(customer.accountId)).toMatchObject({
    available: 125 - price,
  });
});

test('every command of docs/customers/account.md succeeds, and the one of docs/customers/v1-clients.md has the headers and the body that it states (Account self-service; V1)', async () => {
  const scope = scenarioScope('size-4001', 2);
  const customer = await stack.operator.newCustomer({ credits: 996 });
  const { secret } = await stack.operator.newCredential(customer.projectId, {
    scopes: ['*', ...['read', 'manage'].map((may) => `customer.account.${may}.v1`)].concat(
      'customer.credentials.manage.v1',
    ),
  });
  const environment = environmentOf(customer, secret);

  const [v1 = ''] = blocksOf(pageOf('v1-clients'));
  const page = await run(v1.replaceAll('76100500000000000', scope.platform_id), environment);
  const responses: BlockResponse[] = [];
  for (const block of blocksOf(pageOf('account'))) {
    const issued = responses.findLast(({ data }) => data['credential_id'])?.data['credential_id'];
    responses.push(await run(block, { ...environment, CREDENTIAL_ID: String(issued) }));
  }

  expect(page.status).toBe('200');
  for (const [, line = ''] of v1.matchAll(/^# (HTTP.*|X-.*)$/gm)) {
    expect(page.headers.toLowerCase()).toContain(`${line.toLowerCase()}\r\n`);
  }
  const [, shown = ''] = /^# (\{"success".*\})$/m.exec(v1) ?? [];
  expect(Object.keys(page.data)).toEqual(
    Object.keys(JSON.parse(shown.replaceAll('[…]', '[]')) as object),
  );
  expect(responses.map(({ status }) => status).join(' ')).toBe('200 200 200 200 201 200');
  const [account, statement, usage, alert, issued, cap] = responses.map(({ data }) => data);
  expect(account).toMatchObject({ balance: { available: 995 }, balance_alert: null });
  expect(statement).toMatchObject({ items: [{ kind: 'grant' }, { kind: 'charge' }] });
  expect(usage).toMatchObject({ items: [{ count: 1, charged: 1, reversed: 0 }] });
  expect(alert).toEqual({ threshold: 500 });
  expect(issued).toMatchObject({ secret: expect.stringMatching(/^inv_/) });
  expect(cap).toMatchObject({ cap: 500 });
});
