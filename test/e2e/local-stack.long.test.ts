import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import { isRunning } from '@inventory/testkit/is-running';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  machineEnvironment,
  modeOf,
  type RunningCommand,
  readStackJson,
  runCommand,
  type StackJson,
  untilReady,
} from '../support/start-command.ts';

/** One directory for a first start, what happens meanwhile, a stop and a second start. */
const folder = mkdtempSync(join(tmpdir(), 'local-stack-'));
/** A killed member keeps its partitions until its session times out. */
const comebackMs = 90_000;
let environment: Record<string, string | undefined>;
const commands: RunningCommand[] = [];
let running: RunningCommand | null = null;
let stack: StackJson;
let creditsAtStop: number;

beforeAll(async () => {
  // Backends of its own: this test takes them down.
  environment = {
    ...machineEnvironment(),
    INVENTORY_DOCKER: 'never',
    LOCAL_STACK_DIR: folder,
    GATEWAY_PORT: String(await findFreePort()),
    OPERATOR_PORT: String(await findFreePort()),
    SIMULATOR_PORT: String(await findFreePort()),
    KAFKA_PORT: String(await findFreePort()),
    MONGODB_PORT: String(await findFreePort()),
  };
});

afterAll(async () => {
  for (const command of commands) command.signal('SIGTERM');
  await Promise.all(commands.map(({ ended }) => ended));
  rmSync(folder, { recursive: true, force: true });
});

function run(...words: string[]): RunningCommand {
  const command = runCommand(words, environment);
  commands.push(command);
  return command;
}

function start(...args: string[]): RunningCommand {
  running = run('start', ...args);
  return running;
}

async function stop(signal: NodeJS.Signals): Promise<number | null> {
  running?.signal(signal);
  const code = await running?.ended;
  running = null;
  return code ?? null;
}

/** The fields that are checked here. */
interface GatewayBody {
  readonly data: {
    readonly refresh_id: string;
    readonly state: string;
    readonly assets: readonly unknown[];
    readonly total_count: number;
  };
}

async function callGateway(path: string, init: RequestInit = {}) {
  const headers = { 'X-API-Key': stack.demo.api_key, 'Content-Type': 'application/json' };
  const response = await fetch(`${stack.gateway_url}${path}`, { ...init, headers });
  return { status: response.status, body: (await response.json()) as GatewayBody };
}

interface Balance {
  readonly asset: string;
  readonly available: number;
}

async function availableCredits(): Promise<number> {
  const { operator_url, operator_token, demo } = stack;
  const response = await fetch(`${operator_url}/operator/v1/accounts/${demo.account_id}/balance`, {
    headers: { authorization: `Bearer ${operator_token}` },
  });
  const { balances } = (await response.json()) as { balances: Balance[] };
  return balances.find(({ asset }) => asset === 'credits')?.available ?? 0;
}

/** From the file that each native server has. */
function serverPid(name: 'kafka' | 'mongodb'): number {
  return Number(readFileSync(join(folder, 'data', name, 'server.pid'), 'utf8'));
}

function pidsOf(of: StackJson): number[] {
  return [...of.services.map(({ pid }) => pid), serverPid('kafka'), serverPid('mongodb')];
}

test('npm start shows one refresh from its request to its event on the stream, its pages and its bill', async () => {
  const command = start();
  stack = await untilReady(command, folder);

  const shown = command.output();
  expect(shown).toMatch(/200 +checkpoint.*\n.*\/refresh\n +202 +(accepted|queued), 125 credits/);
  expect(shown).toMatch(
    /event: inventory\.refresh\.completed\n +id: \S+\n +data: \{"id":"evt_.*"outcome":"complete_changed"/,
  );
  expect(shown).toMatch(/200 +completed, complete_changed/);
  expect(shown).toContain('125 reserved = 3 charged + 122 released');
  expect(shown).toContain('2,000 assets of 4,001');
  expect(shown).toContain('10,000 before, 9,994 now');
  expect(shown).toContain(stack.demo.api_key);
  expect(shown).not.toMatch(/^\{/m);
});

test('stack.json names everything a script needs, for its owner only', async () => {
  expect(Object.keys(stack)).toEqual([
    'gateway_url',
    'operator_url',
    'operator_token',
    'simulator_url',
    'kafka_brokers',
    'mongodb_uri',
    'demo',
    'services',
  ]);
  expect(modeOf(join(folder, 'stack.json'))).toBe('600');
  expect(stack.services.map(({ name }) => name)).toEqual([
    'gateway',
    'refresh-collector',
    'billing-ledger',
    'revision-store',
    'event-stream',
  ]);
  for (const { pid, url } of stack.services) {
    expect(isRunning(pid)).toBe(true);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  }
  const scenarios = await (await fetch(`${stack.simulator_url}/scenarios`)).json();
  expect(scenarios).toHaveProperty('size-4001');
});

test('the demo key reads what the refresh saved', async () => {
  const { status, body } = await callGateway(
    '/v2/platform/users/76100500000000000/inventory/730/2/current?page_size=10',
  );

  expect(status).toBe(200);
  expect(body.data.assets).toHaveLength(10);
});

test('a second start in one directory names the process of the first', async () => {
  const second = run('start');

  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(/A local stack is running on .*process \d+.*Ctrl-C/);
  expect(second.output()).not.toContain('    at ');
});

test('reset refuses while the stack is running', async () => {
  const reset = run('reset');

  expect(await reset.ended).toBe(1);
  expect(reset.output()).toMatch(/is running on .*stop it first/);
  expect(existsSync(join(folder, 'data', 'kafka'))).toBe(true);
});

test.each(['gateway', 'revision-store'])(
  'a killed %s comes back, and stack.json names its new process',
  async (name) => {
    const before = stack.services.find((service) => service.name === name);
    process.kill(before?.pid ?? 0, 'SIGKILL');

    const after = await waitFor(
      `${name} has another process`,
      () => {
        const service = readStackJson(folder)?.services.find((one) => one.name === name);
        return service?.pid !== before?.pid && service?.pid ? service : undefined;
      },
      { withinMs: comebackMs },
    );

    expect((await fetch(`${after.url}/readyz`)).status).toBe(200);
    expect(after.url).toBe(before?.url);
    expect(running?.output()).toMatch(new RegExp(`${name} was ended by SIGKILL; it is started`));
    expect(running?.output()).toMatch(new RegExp(`${name} is ready again`));
    stack = readStackJson(folder) ?? stack;
  },
);

test('killed Kafka and MongoDB come back, and a refresh goes through afterwards', async () => {
  const killed = [serverPid('kafka'), serverPid('mongodb')];
  for (const pid of killed) process.kill(pid, 'SIGKILL');

  await waitFor(
    'both servers answer again',
    () => {
      const shown = running?.output() ?? '';
      return shown.includes('Kafka is ready again') && shown.includes('MongoDB is ready again');
    },
    { withinMs: comebackMs },
  );
  const path = '/v2/platform/users/76100500000000000/inventory/730/2/refresh';
  const init = { method: 'POST', body: JSON.stringify({ max_credits: 125 }) };
  const accepted = await waitFor(
    'the gateway accepts a refresh',
    async () => {
      const response = await callGateway(path, init);
      return response.status === 202 ? response.body.data : undefined;
    },
    { withinMs: comebackMs, everyMs: 1_000 },
  );
  await waitFor(
    'the refresh is completed',
    async () => {
      const status = `/v2/platform/inventory-refreshes/${accepted.refresh_id}`;
      return (await callGateway(status)).body.data?.state === 'completed';
    },
    { withinMs: comebackMs, everyMs: 1_000 },
  );
});

test('Ctrl-C stops everything: no process, no stack.json, every process reported', async () => {
  const pids = pidsOf(readStackJson(folder) ?? stack);
  const command = running;
  creditsAtStop = await availableCredits();

  expect(await stop('SIGINT')).toBe(0);

  expect(pids.filter(isRunning)).toEqual([]);
  expect(existsSync(join(folder, 'stack.json'))).toBe(false);
  expect(existsSync(join(folder, 'stack.pid'))).toBe(false);
  for (const part of ['gateway', 'event-stream', 'simulator', 'MongoDB', 'Kafka']) {
    expect(command?.output()).toContain(`${part} stopped.`);
  }
});

test('a second start keeps the account, its key, its credits and the inventory, and is quick', async () => {
  const { demo, operator_token } = stack;
  const command = start('--no-demo');
  stack = await untilReady(command, folder);

  expect(stack.demo).toEqual(demo);
  expect(stack.operator_token).toBe(operator_token);
  expect(command.output()).not.toContain('event: ');
  expect(await availableCredits()).toBe(creditsAtStop);
  const current = '/v2/platform/users/76100500000000000/inventory/730/2/current?page_size=1';
  expect((await callGateway(current)).body.data.total_count).toBe(4_001);
});

test('killed it leaves no process behind, and the next start waits for that', async () => {
  const pids = pidsOf(stack);
  process.kill(stackPid(), 'SIGKILL');
  running?.signal('SIGKILL');
  await running?.ended;

  const command = start('--no-demo');
  const next = await untilReady(command, folder);

  expect(pids.filter(isRunning)).toEqual([]);
  expect(next.demo).toEqual(stack.demo);
  expect(await stop('SIGTERM')).toBe(0);
});

test('reset empties the directory', async () => {
  const reset = run('reset');

  expect(await reset.ended).toBe(0);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

test('a taken port is reported with its setting, before anything is started', async () => {
  const other = createServer().listen({ host: '127.0.0.1', port: environment['GATEWAY_PORT'] });
  await once(other, 'listening');

  const refused = run('start');

  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain(
    `Port ${environment['GATEWAY_PORT']}, which the gateway needs, is taken by another program`,
  );
  expect(refused.output()).toContain('GATEWAY_PORT=<port> npm start');
  expect(existsSync(join(folder, 'data', 'kafka'))).toBe(false);
  other.close();
});

function stackPid(): number {
  return Number(readFileSync(join(folder, 'stack.pid'), 'utf8'));
}
