import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { callersOf } from '@inventory/local-stack/service-tokens';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { copyDatabase, type DatabaseCopy, restoreDatabase } from '@inventory/testkit/database-copy';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ApiResponse } from '../../services/gateway/test/support/api-call.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Credential, Customer, Operator } from './support/operator.ts';
import { readProjectLog } from './support/project-log.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** What the steps of a restore ask for. */
interface Cluster {
  close(): Promise<void>;
  open(): Promise<void>;
  stop(): Promise<void>;
  databaseOf(service: ServiceName): Promise<string>;
  run(service: ServiceName, ...args: string[]): Promise<void>;
  load(): Promise<void>;
  start(service: ServiceName): Promise<void>;
  raiseEpoch(): Promise<void>;
  operator(): Pick<Operator, 'call'>;
}
const { steps } = require('../../deploy/restore/steps.js') as {
  steps: readonly {
    readonly name: string;
    run(cluster: Cluster, options: object): Promise<unknown>;
  }[];
};
const root = join(__dirname, '../..');
const credits = 10_000;
const toppedUp = 500;
/** What a block costs under the list that takes effect between backup and restore. */
const dearBlock = 5;
const scopes = ['*', 'customer.events.read.v1', 'customer.credentials.manage.v1'];
const newKey = () => randomBytes(32).toString('base64url');

/** In the middle of their rotation: docs/operators/rotating-secrets.md. */
const oldKey = newKey();

let stack: TestStack;
let customer: Customer;
/** A key that the operator revoked since the backup, and one that its customer revoked. */
let revoked: readonly Credential[];
let ids: string[];
let again: string;
let lostCursor: string;
/** What the revoked keys were answered, by the step before. */
const responded = new Map<string, readonly number[]>();

/** The steps of docs/operators/backup-and-restore.md, after a disaster and before customers are let in. */
beforeAll(async () => {
  stack = await openTestStack({ serviceEnvironment: { gateway: { CURSOR_KEYS: oldKey } } });
  const { accountId, projectId } = await stack.operator.newCustomer({ credits });
  await stack.operator.switchEvents(accountId, true);
  const credential = await stack.operator.newCredential(projectId, { scopes });
  const others = [projectId, projectId].map((id) => stack.operator.newCredential(id));
  revoked = await Promise.all(others);
  customer = { accountId, projectId, ...credential };
  ids = [await refreshed(1), await refreshed(2)];
  await untilAnnounced(2);

  const backupAtMs = Date.now();
  const copies = new Map<ServiceName, DatabaseCopy>();
  for (const name of serviceNames) copies.set(name, await copyDatabase(await records(name)));
  ids.push(await refreshed(3));
  await raisePrices();
  ids.push(await refreshed(4));
  await untilAnnounced(4);
  await stack.operator.topUp(accountId, toppedUp);
  await revokeBoth();
  lostCursor = (await listEvents()).json.data.items[2].cursor;

  const disasterAtMs = Date.now();
  const cluster = localCluster(copies);
  const durations: string[] = [];
  for (const step of steps) {
    const startMs = monotonicNow();
    const log = readFileSync(stack.service('gateway').logFile, 'utf8');
    await step.run(cluster, { backupAtMs, auditLines: log.split('\n') });
    durations.push(`${step.name} ${seconds(elapsedSince(startMs))}`);
    if (['start', 'revoke'].includes(step.name)) responded.set(step.name, await statusOfRevoked());
  }
  again = await refreshed(3);
  report({ backupAtMs, disasterAtMs, durations });
});
afterAll(() => stack?.close());

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** How long nothing was served, and how much of what was confirmed before is gone. */
function report({ backupAtMs, disasterAtMs, durations }: Measured): void {
  const lost = seconds(disasterAtMs - backupAtMs);
  const whole = seconds(Date.now() - disasterAtMs);
  process.stderr.write(
    `RTO: ${whole} until a refresh is complete again (${durations.join(', ')})\n` +
      'RPO: 0 s of credits, prices, events and revocations, as the tests of this file judge; ' +
      `${lost}, from the backup on, of statuses of refreshes, saved inventories and new keys\n`,
  );
}

interface Measured {
  readonly backupAtMs: number;
  readonly disasterAtMs: number;
  readonly durations: readonly string[];
}

/** The local stack as the cluster of the steps: the programs of the images, with their settings. */
function localCluster(copies: ReadonlyMap<ServiceName, DatabaseCopy>): Cluster {
  return {
    // There is nothing in front of it, and nothing scales it.
    async close() {},
    async open() {},
    async stop() {
      for (const service of stack.services) await service.stop();
      const settings = amongNewSecrets();
      for (const service of stack.services)
        Object.assign(service.environment, settings[service.service]);
    },
    databaseOf: async (name) => stack.databaseOf(name),
    async run(name, ...args) {
      const program = join(root, `services/${name}/dist/main.js`);
      const { environment: env } = stack.service(name);
      await promisify(execFile)(process.execPath, [program, ...args], { env });
    },
    async load() {
      for (const [name, copy] of copies) await restoreDatabase(await records(name), copy);
    },
    start: (name) => stack.service(name).start(),
    async raiseEpoch() {
      Object.assign(stack.service('event-stream').environment, { LOG_EPOCH: '2' });
    },
    operator: () => stack.operator,
  };
}

async function revokeBoth(): Promise<void> {
  const [byOperator, byCustomer] = revoked;
  await stack.operator.revoke(byOperator?.credentialId ?? '');
  const path = `/v2/projects/${customer.projectId}/credentials/${byCustomer?.credentialId}`;
  expect((await customer.api.call({ method: 'DELETE', path })).status).toBe(200);
}

function statusOfRevoked(): Promise<number[]> {
  const path = '/v2/account';
  return Promise.all(revoked.map(async ({ api }) => (await api.call({ path })).status));
}

/**
 * In the middle of docs/operators/rotating-secrets.md: the callees accept two tokens of each caller, the gateway
 * sends its new one, the others send their old ones.
 */
function amongNewSecrets(): Record<ServiceName, object> {
  const [old, fresh] = [newTokens(), newTokens()];
  const SERVICE_CALLERS = callersOf(
    serviceNames.flatMap((name) => [old, fresh].map((tokens) => [name, tokens[name]] as const)),
  );
  const before = (name: ServiceName) => ({ SERVICE_CALLERS, SERVICE_TOKEN: old[name] });
  return {
    gateway: {
      SERVICE_CALLERS,
      SERVICE_TOKEN: fresh.gateway,
      CURSOR_KEYS: `${newKey()},${oldKey}`,
    },
    'refresh-collector': before('refresh-collector'),
    'billing-ledger': before('billing-ledger'),
    'revision-store': before('revision-store'),
    'event-stream': before('event-stream'),
  };
}

function newTokens() {
  return Object.fromEntries(serviceNames.map((name) => [name, newKey()])) as Record<
    ServiceName,
    string
  >;
}

const records = (name: ServiceName) => stack.recordsOf(name);

async function refreshed(serial: number): Promise<string> {
  const id = await customer.api.accepted(sizeScope(3, serial));
  await untilCompleted(customer.api, customer.projectId, [id]);
  return id;
}

/** A list as it is stored when it is published; its two minutes in advance are not waited for. */
async function raisePrices(): Promise<void> {
  const lists = (await records('billing-ledger')).collection<{ _id: number }>('priceLists');
  const first = await lists.findOne({ _id: 1 });
  const raised = { version: 2, effectiveAtMs: Date.now() + 15_000, refreshBlock: dearBlock };
  await lists.insertOne({ ...first, _id: 2, ...raised } as never);
  const isInForce = async () => {
    const { json } = await customer.api.call({ path: '/v2/prices' });
    return json.data.price_version === 2;
  };
  await waitFor('the list is in force', isInForce, { everyMs: 2_000 });
}

function untilAnnounced(events: number) {
  return waitFor(`${events} events are in the log, and acknowledged to the collector`, async () => {
    const refreshes = (await records('refresh-collector')).collection('refreshes');
    return (await refreshes.countDocuments({ eventAppended: true })) === events;
  });
}

function listEvents(query = ''): Promise<ApiResponse> {
  return customer.api.call({ path: `/v2/projects/${customer.projectId}/events${query}` });
}

test('after a restore every credit is where it was before the disaster, not as of the backup: the ledger reads its commands again, and books them at the prices of their own time (decisions: Prices of a command)', async () => {
  const charges = [1, 1, 1, dearBlock, dearBlock];
  const total = credits + toppedUp - charges.reduce((sum, charge) => sum + charge);
  const { accountId } = customer;
  expect(await stack.operator.balance(accountId)).toEqual({ total, held: 0, available: total });
  const rows = await stack.operator.statement(accountId);
  const settled = rows.filter(({ kind }) => kind === 'settle');
  const reservation = 125;
  expect(settled.map(({ refreshId }) => refreshId)).toEqual([...ids, again]);
  expect(settled.map(({ changeAvailable }) => reservation - changeAvailable)).toEqual(charges);
  expect(settled.map(({ priceVersion }) => priceVersion)).toEqual([1, 1, 1, 2, 2]);
  expect(await stack.operator.openHolds(accountId)).toEqual([]);
  expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
});

test('after a restore every event has one position again, and a cursor from beyond the backup is answered with recovery (Events: log_epoch_changed)', async () => {
  const all = [...ids, again];
  const log = await waitFor('the new event is in the log', async () => {
    const read = await readProjectLog(stack, customer.projectId);
    return read.length === all.length && read;
  });
  expect(log.map(({ refreshId }) => refreshId).toSorted()).toEqual(all.toSorted());
  expect(log.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
  const old = await listEvents(`?after=${lostCursor}`);
  expect([old.status, old.json.error.code]).toEqual([410, 'cursor_expired']);
  const from = await listEvents(`?after=${old.json.error.detail.resume_cursor}`);
  expect(from.status).toBe(200);
});

test('after a restore, with half of the services on new secrets, refreshes resume: what came after the backup is unknown, a new one is as any other', async () => {
  const [first = '', , lost = ''] = ids;
  expect((await customer.api.status(first)).json.data.state).toBe('completed');
  expect((await customer.api.status(lost)).json.error.code).toBe('refresh_not_found');

  const { json } = await customer.api.status(again);
  expect(json.data).toMatchObject({ outcome: 'complete_changed', billing_state: 'finalized' });
  expect((await customer.api.current(sizeScope(3, 3))).json.data.total_count).toBe(3);
});

test('after a restore a Credential that was revoked since the backup, by an operator or by its customer, is revoked again before the gateway is opened', () => {
  expect(responded.get('start')).toEqual([200, 200]);
  expect(responded.get('revoke')).toEqual([401, 401]);
});
