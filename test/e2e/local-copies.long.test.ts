import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { serviceNames } from '@inventory/contracts/topics';
import { pause } from '@inventory/runtime/wait';
import { waitFor } from '@inventory/testkit/wait-for';
import { callOnce } from '../support/call-once.ts';
import { type Chance, openChance } from '../support/random-seed.ts';
import { machineEnvironment } from '../support/start-command.ts';
import { expectBalancedBooks } from './support/books.ts';
import type { Customer } from './support/operator.ts';
import {
  createSimulatorControl,
  type SimulatorControl,
  scenarioScope,
  sizeScope,
} from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const watchedCount = 200;
const periodSeconds = 6 * 3_600;
/** A day in two minutes. */
const tickMs = 1_000;
const passedPerTickMs = 720_000;
const ticks = 120;
const changesPerTick = 6;
const killEveryTicks = 11;
const restartTrackerEveryTicks = 37;
const caughtUpMs = 240_000;

let stack: TestStack;
let customer: Customer;
let control: SimulatorControl;
let tracker: Tracker | undefined;
const scopes = Array.from({ length: watchedCount }, (_none, serial) =>
  sizeScope(20 + (serial % 50), 390_000 + serial),
);

beforeAll(async () => {
  stack = await openTestStack({ egressIdentities: 16 });
  customer = await stack.operator.newCustomer();
  await stack.operator.switchEvents(customer.accountId, true);
  control = createSimulatorControl(stack.simulatorUrl);
});
afterAll(async () => {
  await tracker?.kill();
  await stack?.close();
});

type Tracker = ReturnType<typeof openTracker>;

/** What the example does not say of itself: what it reads whole, and rows that it has already or does not have. */
const told: readonly (readonly [line: string, telling: string])[] = [
  [
    'store(name, after ?? (await readWhole(scope)));',
    "if (!after) console.log('whole', scope.platform_id);",
  ],
  ...(
    [
      ['for (const row of page.added)', 'row', 'twice'],
      ['for (const row of page.removed)', '!row', 'unknown row'],
      ['for (const { asset: row } of page.changed)', '!row', 'unknown row'],
    ] as const
  ).map(([loop, held, text]) => {
    const isTold = held.replace('row', 'copy.rows[keyOf(row)]');
    return [loop, `${loop} if (${isTold}) console.log('${text}');`] as const;
  }),
];

function telling(example: string): string {
  return told.reduce((text, [line, telling]) => {
    expect(text).toContain(line);
    return text.replace(line, line.endsWith(';') ? `${line}\n${telling}` : `${telling}\n${line}`);
  }, example);
}

/** The example of docs/customers/local-copies.md, as a process that is killed and started again. */
function openTracker(apiKey: string, name: string) {
  const page = readFileSync(join(__dirname, '../../docs/customers/local-copies.md'), 'utf8');
  const [, example = ''] = /<!-- example:track -->\n```js\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const copies = join(stack.folder, name);
  const file = join(stack.folder, `${name}.js`);
  mkdirSync(copies);
  writeFileSync(file, telling(example));
  const env = {
    ...machineEnvironment(),
    NODE_PATH: join(__dirname, '../../node_modules'),
    INVENTORY_URL: stack.gatewayUrl,
    INVENTORY_API_KEY: apiKey,
    INVENTORY_PROJECT: customer.projectId,
    COPIES: copies,
  };
  let printed = '';
  let child: ChildProcess | undefined;
  const start = () => {
    child = spawn(process.execPath, [file], { env });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (part) => {
        printed += String(part);
      });
    }
  };
  const hasEnded = () => child?.exitCode !== null || child.signalCode !== null;
  const kill = async () => {
    if (!child || hasEnded()) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  start();
  return {
    text: () => printed,
    hasPosition: () => existsSync(join(copies, 'cursor')),
    hasEnded,
    kill,
    async restart() {
      await kill();
      start();
    },
    copyOf({ platform_id, app_id, context_id }: InventoryKey) {
      const path = join(copies, `${platform_id}_${app_id}_${context_id}.json`);
      return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
    },
  };
}

async function startTracker(name: string) {
  const { secret } = await stack.operator.newCredential(customer.projectId, {
    scopes: ['*', 'customer.events.read.v1'],
  });
  const own = openTracker(secret, name);
  tracker = own;
  await waitFor('the tracker has its position', () => own.hasPosition());
  return own;
}

async function watchAll(): Promise<void> {
  for (let from = 0; from < scopes.length; from += 100) {
    const items = scopes
      .slice(from, from + 100)
      .map((scope) => ({ ...scope, every_seconds: periodSeconds }));
    const { status, json } = await customer.api.call({
      method: 'POST',
      path: `/v2/projects/${customer.projectId}/watches/batch`,
      body: { items },
    });
    expect([status, json.data.items.map((item: { status: number }) => item.status)]).toEqual([
      200,
      items.map(() => 201),
    ]);
  }
}

interface StoredWatch {
  readonly _id: string;
  readonly createdAtMs: number;
  readonly nextRefreshAtMs: number;
  readonly run: { readonly atMs: number } | null;
  readonly work: { readonly owner: string | null; readonly dueAtMs: number };
}

/**
 * Time passes for every watch that has no turn: all of its times are earlier by so much. No setting of
 * the product shortens a day.
 */
async function passTime(ms: number): Promise<void> {
  const watches = (await stack.recordsOf('gateway')).collection<StoredWatch>('watches');
  const idle = await watches.find({ 'work.owner': null }).toArray();
  const updates = idle.map(({ _id, createdAtMs, nextRefreshAtMs, run, work }) => ({
    updateOne: {
      filter: { _id, 'work.owner': null, 'work.dueAtMs': work.dueAtMs },
      update: {
        $set: {
          createdAtMs: createdAtMs - ms,
          nextRefreshAtMs: nextRefreshAtMs - ms,
          'work.dueAtMs': work.dueAtMs - ms,
          ...(run && { 'run.atMs': run.atMs - ms }),
        },
      },
    },
  }));
  if (updates.length > 0) await watches.bulkWrite(updates, { ordered: false });
}

/** Items come and go, and stacks and texts change. */
async function changeSome(chance: Chance): Promise<void> {
  for (let count = 0; count < changesPerTick; count += 1) {
    const scope = scopes[chance.below(scopes.length)] as InventoryKey;
    const path = `/inventories/${scope.platform_id}/${scope.app_id}/${scope.context_id}`;
    const change =
      chance.below(2) === 0
        ? { kind: 'add', count: 1 + chance.below(3) }
        : { kind: 'remove', positions: [chance.below(10)] };
    await control.call('POST', path, change);
  }
}

async function liveThroughDay(chance: Chance, own: Tracker) {
  const killed: string[] = [];
  for (let tick = 1; tick <= ticks; tick += 1) {
    await Promise.all([passTime(passedPerTickMs), changeSome(chance), pause(tickMs)]);
    if (tick % killEveryTicks === 0) {
      const name = serviceNames[killed.length % serviceNames.length] ?? 'gateway';
      await stack.service(name).kill('SIGKILL');
      killed.push(name);
    }
    if (tick % restartTrackerEveryTicks === 0) await own.restart();
  }
  expect(new Set(killed)).toEqual(new Set(serviceNames));
}

/** What an asset is, whatever texts it has. */
const essence = ({ assetid, classid, instanceid, amount }: Record<string, unknown>) =>
  `${assetid} ${classid} ${instanceid ?? '0'} ${amount}`;

/** The platform's own answer: one page. */
async function assetsOf({ platform_id, app_id, context_id }: InventoryKey) {
  const path = `${platform_id}/${app_id}/${context_id}`;
  const url = `${stack.simulatorUrl}/inventory/${path}?l=english&count=2000`;
  const page = JSON.parse((await callOnce(url, { method: 'GET' })).text);
  return (page.assets ?? []) as Record<string, unknown>[];
}

async function differing(own: Tracker): Promise<string[]> {
  const found: string[] = [];
  for (const scope of scopes) {
    const copy = own.copyOf(scope);
    const rows = copy === null ? [] : Object.values<Record<string, unknown>>(copy.rows);
    const isEqual = isSame(rows.map(essence), (await assetsOf(scope)).map(essence));
    if (copy === null || !isEqual) found.push(scope.platform_id);
  }
  return found;
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.toSorted().join() === right.toSorted().join();
}

test('the local copies of 200 watched inventories equal those of the platform after a day with kills of every service and of the tracker: read whole once, no row twice (Changes, Watches) [changes-are-a-function-of-two-revisions]', async () => {
  const chance = openChance();
  process.stderr.write(`local copies: TEST_SEED=${chance.seed}\n`);
  const own = await startTracker('day');
  await watchAll();
  await liveThroughDay(chance, own);

  await Promise.all(stack.services.map((service) => service.untilReady()));
  let left = scopes.map(({ platform_id }) => platform_id);
  await waitFor(
    'the copies are those of the platform, one period later',
    async () => {
      await passTime(passedPerTickMs);
      left = await differing(own);
      if (own.hasEnded()) throw new Error(own.text());
      return left.length === 0;
    },
    { everyMs: tickMs, withinMs: caughtUpMs },
  ).catch((error: unknown) => {
    throw new Error(`${left.length} differ: ${left.slice(0, 5)}\n${own.text()}`, {
      cause: error,
    });
  });
  await own.kill();

  const whole = own.text().match(/^whole .*$/gm) ?? [];
  expect(whole).toHaveLength(watchedCount);
  expect(own.text()).not.toMatch(/twice|unknown row/);
  await expectEndedRuns();
});

test('a copy of what is not known any more is read whole, and has currencies beside assets (Changes, Operating surface: erase)', async () => {
  const own = await startTracker('erased');
  const [odd, plain] = [scenarioScope('currency-row'), sizeScope(7, 399_999)];
  const refresh = async (scope: InventoryKey) => customer.api.accepted(scope);
  for (const scope of [odd, plain]) await refresh(scope);
  await waitFor('the tracker has both copies', () =>
    [odd, plain].every((scope) => own.copyOf(scope) !== null),
  );
  const kinds = Object.keys(own.copyOf(odd).rows).map((key) => key.split('/')[2]);
  expect(new Set(kinds)).toEqual(new Set(['asset', 'currency']));
  const before = own.copyOf(plain);

  await stack.operator.call('eraseInventory', plain);
  await refresh(plain);
  await waitFor('the copy is of another revision', () => {
    const copy = own.copyOf(plain);
    return copy.revision_id !== before.revision_id;
  });
  expect(own.copyOf(plain).rows).toEqual(before.rows);
  await own.kill();

  const whole = own.text().match(/^whole .*$/gm) ?? [];
  expect(whole.filter((line) => line.endsWith(plain.platform_id))).toHaveLength(2);
  expect(whole).toHaveLength(3);
});

/** The watches end, so that nothing is open; then every run was paid, and announced, once. */
async function expectEndedRuns(): Promise<void> {
  for (const { platform_id, app_id, context_id } of scopes) {
    const path = `/v2/projects/${customer.projectId}/watches/${platform_id}/${app_id}/${context_id}`;
    const { status } = await customer.api.call({ method: 'DELETE', path });
    expect(status).toBe(200);
  }
  const records = await stack.recordsOf('refresh-collector');
  await waitFor(
    'no run is open',
    async () => (await records.collection('refreshes').countDocuments({ terminal: false })) === 0,
  );
  const ids = await records
    .collection<{ _id: string }>('refreshes')
    .find({}, { projection: { _id: 1 } })
    .toArray();
  await expectBalancedBooks(
    stack,
    customer,
    ids.map(({ _id }) => _id),
  );
}
