import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { machineEnvironment } from '../support/start-command.ts';
import { generators } from './support/generated-clients.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const scopes = ['*', 'customer.events.read.v1'];
const testTimeoutMs = 20 * 60_000;
const outputBytesMax = 16 * 2 ** 20;
let stack: TestStack;
let truth: TruthReader;
let folder: string;

beforeAll(async () => {
  [stack, truth] = await Promise.all([openTestStack(), openTruthReader()]);
});
afterAll(async () => {
  await truth?.close();
  await stack?.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'generated-client-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A customer with events, as a program learns it from its environment. */
async function newCustomer() {
  const { accountId, projectId } = await stack.operator.newCustomer();
  await stack.operator.switchEvents(accountId, true);
  const { secret } = await stack.operator.newCredential(projectId, { scopes });
  return {
    INVENTORY_URL: stack.gatewayUrl,
    INVENTORY_API_KEY: secret,
    INVENTORY_PROJECT: projectId,
  };
}

test.each(generators)(
  'what %s generates of the served document compiles, and refreshes, reads pages, events and errors (OpenAPI)',
  async (name, generate) => {
    const served = await fetch(`${stack.gatewayUrl}/openapi.json`);
    writeFileSync(join(folder, 'openapi.json'), await served.text());
    const client = await generate(folder);
    if (client === null) return;
    const scope = sizeScope(2_001, 73_000 + name.length);
    const { assets } = await truth.of(scope);
    const ids = assets.map(({ assetid }) => assetid);
    const env = {
      ...machineEnvironment(),
      ...client.env,
      ...(await newCustomer()),
      INVENTORY_SCOPE: JSON.stringify(scope),
    };

    const options = { cwd: folder, env, maxBuffer: outputBytesMax };
    const { stdout } = await promisify(execFile)(client.command, client.args, options);

    expect(JSON.parse(stdout)).toEqual({
      outcome: 'complete_changed',
      charged: 2,
      assets: ids,
      found: ids.slice(0, 1),
      spent: 1,
      event: 'complete_changed',
      listed: [true],
      codes: ['refresh_not_found', 'invalid_api_key'],
    });
  },
  testTimeoutMs,
);
