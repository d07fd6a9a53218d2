import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { machineEnvironment } from '../support/start-command.ts';
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

interface Answer {
  readonly status: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function run(block: string, environment: NodeJS.ProcessEnv): Promise<Answer> {
  const { stdout } = await promisify(execFile)('bash', ['-c', printsStatus + block], {
    env: environment,
    cwd: directory,
    maxBuffer: 16 * 1024 * 1024,
  });
  const end = stdout.lastIndexOf('\n');
  const body = stdout.slice(0, end);
  return { status: stdout.slice(end + 1), data: body === '' ? {} : JSON.parse(body).data };
}

test('every command of docs/customers/quick-start.md succeeds in its order, at the price it states (Refresh, Status, Current, Live Page)', async () => {
  const page = readFileSync(join(__dirname, '../../docs/customers/quick-start.md'), 'utf8');
  const scope = scenarioScope('size-4001', 1);
  const customer = await stack.operator.newCustomer({ credits: 125 });
  const { secret } = await stack.operator.newCredential(customer.projectId, {
    scopes: ['*', 'customer.credentials.manage.v1'],
  });
  const environment: NodeJS.ProcessEnv = {
    ...machineEnvironment(),
    BASE: stack.gatewayUrl,
    KEY: secret,
    PROJECT_ID: customer.projectId,
  };

  const answers: Answer[] = [];
  for (const [, block = ''] of page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)) {
    // Later commands name what earlier ones returned.
    const returned = answers.map(({ data }) => data);
    const known = (name: string) => String(returned.find((data) => data[name])?.[name]);
    const command = block
      .replaceAll('76100500000000000', scope.platform_id)
      .replaceAll('invrev_…', known('revision_id'));
    answers.push(await run(command, { ...environment, REFRESH_ID: known('refresh_id') }));
  }

  expect(answers.map(({ status }) => status).join(' ')).toBe('202 200 200 200 200 200 201');
  const [accepted, ended, current, , changes, live, issued] = answers.map(({ data }) => data);
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
  expect(issued).toMatchObject({ secret: expect.stringMatching(/^inv_/) });
  // The refresh, a page of Current, the three of the export, a Live Page.
  const price = 3 + 1 + 3 + 1;
  expect(await stack.operator.balance(customer.accountId)).toMatchObject({
    available: 125 - price,
  });
});
