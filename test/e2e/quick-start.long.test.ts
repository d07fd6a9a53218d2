import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { machineEnvironment } from '../support/start-command.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { scenarioScope } from './support/simulator-control.ts';

const stack = openSharedStack();
afterAll(() => stack.close());

/** Commands print the body and, as the last line, the status. */
const printsStatus = `curl() { command curl -sS -w '\\n%{http_code}' "$@"; }\n`;

test('the commands of docs/customers/quick-start.md lead from a key to an inventory, at the price they state (Refresh, Status, Current)', async () => {
  const page = readFileSync(join(__dirname, '../../docs/customers/quick-start.md'), 'utf8');
  const scope = scenarioScope('size-4001', 131_000);
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, text = '']) =>
    text.replaceAll('76100500000000000', scope.platform_id),
  );
  const customer = await stack.operator.newCustomer({ credits: 125 });
  const environment: Record<string, string | undefined> = {
    ...machineEnvironment(),
    BASE: stack.gatewayUrl,
    KEY: customer.secret,
    PROJECT_ID: customer.projectId,
  };

  const statuses: string[] = [];
  const bodies: { data: Record<string, unknown> }[] = [];
  for (const block of blocks) {
    const run = await promisify(execFile)('bash', ['-c', printsStatus + block], {
      env: environment,
      maxBuffer: 16 * 1024 * 1024,
    });
    const lines = run.stdout.split('\n');
    statuses.push(lines.pop() ?? '');
    const body = JSON.parse(lines.join('\n'));
    bodies.push(body);
    environment['REFRESH_ID'] ??= body.data.refresh_id;
  }

  expect(statuses).toEqual(['202', '200', '200', '200']);
  const [accepted, ended, current, live] = bodies;
  expect(accepted?.data).toMatchObject({
    state: 'queued',
    billing: { state: 'reserved', credits_reserved: 125 },
  });
  expect(ended?.data).toMatchObject({
    state: 'completed',
    outcome: 'complete_changed',
    billing: { credits_charged: 3, credits_released: 122 },
  });
  expect(current?.data).toMatchObject({ total_count: 4001, pagination: { has_more: true } });
  expect(live?.data).toMatchObject({ total_count: 4001 });
  expect(await stack.operator.balance(customer.accountId)).toMatchObject({ available: 120 });
});
