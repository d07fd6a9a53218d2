import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { machineEnvironment, runCommand } from '../support/start-command.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const root = join(__dirname, '../..');
const python = join(root, '.cache/python-client/bin/python');
const unavailable = 69;
const outputBytesMax = 16 * 2 ** 20;
const testTimeoutMs = 20 * 60_000;
let checked: { readonly code: number | null; readonly output: string };
let stack: TestStack;
let truth: TruthReader;

beforeAll(async () => {
  const check = runCommand(['python-client'], machineEnvironment());
  checked = { code: await check.ended, output: check.output() };
  if (checked.code === unavailable) {
    process.stderr.write(`\nNOT RUN IN PYTHON: no Python 3.11, or no index:\n${checked.output}\n`);
    return;
  }
  [stack, truth] = await Promise.all([openTestStack(), openTruthReader()]);
}, testTimeoutMs);
afterAll(async () => {
  await truth?.close();
  await stack?.close();
});

/** Runs a program with the installed wheel, as a customer of the stack. */
async function runPython(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<string> {
  const customer = await stack.operator.newCustomer();
  await stack.operator.switchEvents(customer.accountId, true);
  const scopes = ['*', 'customer.events.read.v1'];
  const { secret } = await stack.operator.newCredential(customer.projectId, { scopes });
  const env = {
    ...machineEnvironment(),
    INVENTORY_URL: stack.gatewayUrl,
    INVENTORY_API_KEY: secret,
    INVENTORY_PROJECT: customer.projectId,
    ...environment,
  };
  const options = { env, maxBuffer: outputBytesMax };
  return (await promisify(execFile)(python, ['-W', 'error', ...args], options)).stdout;
}

test('the wheel is built, its types are strict, and both of its clients hold the cases of the Node client', () => {
  if (checked.code === unavailable) return;
  expect(checked).toMatchObject({ code: 0, output: expect.stringMatching(/\d+ passed/) });
});

test('both Python clients refresh, read Current, export, resume a stream and raise an error (Refresh, Current, Export, Events)', async () => {
  if (checked.code === unavailable) return;
  const scope = sizeScope(2_001, 72_000);
  const { assets } = await truth.of(scope);
  const ids = assets.map(({ assetid }) => assetid);

  const story = join(__dirname, 'support/python_client_story.py');
  const printed = await runPython([story], { INVENTORY_SCOPE: JSON.stringify(scope) });

  const read = { assets: ids, exported: ids, charged: 2, code: 'refresh_not_found' };
  expect(JSON.parse(printed)).toEqual([
    { ...read, outcome: 'complete_changed', event: 'complete_changed' },
    { ...read, outcome: 'complete_unchanged', event: 'complete_unchanged' },
  ]);
});

test('the quick start of its README runs unchanged', async () => {
  if (checked.code === unavailable) return;
  const readme = readFileSync(join(root, 'libs/client-python/README.md'), 'utf8');
  const [, example = ''] = /^## Quick start\n\n```python\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  const scope = sizeScope(3, 72_001);
  const { assets } = await truth.of(scope);

  const printed = await runPython(
    ['-c', example.replace('76100000000000001', scope.platform_id)],
    {},
  );

  const lines = printed.trim().split('\n');
  expect(lines[0]).toBe('complete_changed 1');
  expect(lines.slice(1).map((line) => line.split(' ')[0])).toEqual(
    assets.map(({ assetid }) => assetid),
  );
});
