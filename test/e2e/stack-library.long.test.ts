import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack, StackService } from '@inventory/local-stack/stack';
import { startStack } from '@inventory/local-stack/start-stack';
import { openNamespace } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { runOperator } from '../../services/gateway/test/support/operator-command.ts';
import { machineEnvironment } from '../support/start-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'stack-library-'));
/** A killed member keeps its partitions until its session times out. */
const comebackMs = 90_000;
let stack: Stack;

beforeAll(async () => {
  const namespace = await openNamespace();
  const kafkaBrokers = namespace.kafkaBrokers.join(',');
  stack = await startStack({
    directory: folder,
    environment: machineEnvironment(),
    backends: { kafkaBrokers, mongodbUri: namespace.mongodbUri },
    topicPrefix: namespace.topicPrefix,
    databasePrefix: namespace.database(''),
    replicas: { gateway: 2, 'billing-ledger': 2 },
    serviceEnvironment: { 'event-stream': { LOG_LEVEL: 'silent' } },
  });
});

afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function replicasOf(service: StackService['service']): readonly StackService[] {
  return stack.services.filter((one) => one.service === service);
}

async function operatorStatus(gateway: StackService | undefined, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${stack.operatorToken}` };
  return (await fetch(`${gateway?.operatorUrl}/operator/v1${path}`, { headers })).status;
}

test('every replica is a process of its own with an address of its own', () => {
  expect(stack.services.map(({ name }) => name)).toEqual([
    'gateway',
    'gateway-2',
    'refresh-collector',
    'billing-ledger',
    'billing-ledger-2',
    'revision-store',
    'event-stream',
  ]);
  expect(new Set(stack.services.map(({ pid }) => pid)).size).toBe(7);
  expect(new Set(stack.services.map(({ url }) => url)).size).toBe(7);
  const publicUrls = replicasOf('gateway').map(({ publicUrl }) => publicUrl);
  expect(publicUrls[0]).toBe(stack.gatewayUrl);
  expect(publicUrls[1]).not.toBe(stack.gatewayUrl);
});

test('admission is closed and opened on the real collector by the command line (Operating surface)', async () => {
  const environment = { OPERATOR_URL: stack.operatorUrl, OPERATOR_TOKEN: stack.operatorToken };
  const closed = await runOperator(environment, ['admission', 'close', '--json']);
  const opened = await runOperator(environment, ['admission', 'open', '--json']);

  expect(closed.json).toMatchObject({ state: 'closed', reason: 'operator_closed' });
  expect(opened.json).toMatchObject({ state: 'open', reason: null, operator_closed: false });
});

test('with one ledger killed the gateways reach the other one', async () => {
  const [ledger] = replicasOf('billing-ledger');
  await ledger?.kill('SIGKILL');

  await waitFor(
    'the other ledger answers the verification',
    async () => {
      const headers = { authorization: `Bearer ${stack.operatorToken}` };
      const init = { method: 'POST', headers };
      return (await fetch(`${stack.operatorUrl}/operator/v1/ledger/verify`, init)).ok;
    },
    { withinMs: comebackMs },
  );
  await ledger?.untilReady();
});

test('a stopped service stays down until it is started', async () => {
  const [collector] = replicasOf('refresh-collector');
  await collector?.stop('SIGKILL');

  expect(collector?.pid).toBeNull();
  await expect(fetch(`${collector?.url}/livez`)).rejects.toThrow();

  await collector?.start();
  expect((await fetch(`${collector?.url}/readyz`)).status).toBe(200);
});

test('a paused service keeps its process and answers nothing until it is resumed', async () => {
  const [, second] = replicasOf('gateway');
  const { pid } = second ?? {};
  second?.signal('SIGSTOP');

  const unanswered = fetch(`${second?.url}/livez`, { signal: AbortSignal.timeout(1_000) });
  await expect(unanswered).rejects.toThrow();
  second?.signal('SIGCONT');

  await waitFor('it answers again', () =>
    operatorStatus(second, '/accounts').then((s) => s === 200),
  );
  expect(second?.pid).toBe(pid);
});

test('a restart gives it another process at the same address', async () => {
  const [, second] = replicasOf('gateway');
  const { pid, url } = second ?? {};

  await second?.restart();

  expect(second?.pid).not.toBe(pid);
  expect(second?.url).toBe(url);
  expect(await operatorStatus(second, '/accounts')).toBe(200);
});

test('each service logs to a file of its own, at its own level, and no secret', () => {
  for (const { service, logFile } of stack.services) {
    const log = readFileSync(logFile, 'utf8');
    expect(log.includes('"msg":"ready"')).toBe(service !== 'event-stream');
    expect(log).not.toContain(stack.operatorToken);
  }
});
