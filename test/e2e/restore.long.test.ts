import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { callersOf } from '@inventory/local-stack/service-tokens';
import { copyDatabase, type DatabaseCopy, restoreDatabase } from '@inventory/testkit/database-copy';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ApiAnswer } from '../../services/gateway/test/support/api-call.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { readProjectLog } from './support/project-log.ts';
import { createPublicApi } from './support/public-api.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const root = join(__dirname, '../..');
const credits = 10_000;
const toppedUp = 500;
/** Clocks differ, and what is read twice has no effect. */
const marginMs = 60_000;
/** What a block costs under the list that takes effect between backup and restore. */
const dearBlock = 5;
const scopes = ['*', 'customer.events.read.v1'];
const newKey = () => randomBytes(32).toString('base64url');

let stack: TestStack;
let customer: Customer;
let revoked: { readonly credentialId: string; readonly secret: string };
let ids: string[];
let lostCursor: string;

/** The procedure of docs/operators/backup-and-restore.md, with a disaster between its two halves. */
beforeAll(async () => {
  const oldKey = newKey();
  stack = await openTestStack({ serviceEnvironment: { gateway: { CURSOR_KEYS: oldKey } } });
  const { accountId, projectId } = await stack.operator.newCustomer({ credits });
  await stack.operator.switchEvents(accountId, true);
  const credential = await stack.operator.newCredential(projectId, { scopes });
  revoked = await stack.operator.newCredential(projectId);
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
  await stack.operator.revoke(revoked.credentialId);
  lostCursor = (await listEvents()).json.data.items[2].cursor;

  for (const service of stack.services) await service.stop();
  for (const [name, copy] of copies) await restoreDatabase(await records(name), copy);
  for (const name of ['billing-ledger', 'event-stream'] as const) {
    await rewind(name, backupAtMs - marginMs);
  }
  await stack.handOver();
  stack = await openTestStack({
    after: stack,
    serviceEnvironment: amongNewSecrets(oldKey),
  });
  customer = { ...customer, api: createPublicApi(stack.gatewayUrl, customer.secret) };
});
afterAll(() => stack?.close());

/**
 * In the middle of docs/operators/rotating-secrets.md: the callees accept two tokens of each caller, the gateway
 * sends its new one, the others send their old ones.
 */
function amongNewSecrets(oldCursorKey: string) {
  const [old, fresh] = [newTokens(), newTokens()];
  const SERVICE_CALLERS = callersOf(
    serviceNames.flatMap((name) => [old, fresh].map((tokens) => [name, tokens[name]] as const)),
  );
  const before = (name: ServiceName) => ({ SERVICE_CALLERS, SERVICE_TOKEN: old[name] });
  return {
    gateway: {
      SERVICE_CALLERS,
      SERVICE_TOKEN: fresh.gateway,
      CURSOR_KEYS: `${newKey()},${oldCursorKey}`,
    },
    'refresh-collector': before('refresh-collector'),
    'billing-ledger': before('billing-ledger'),
    'revision-store': before('revision-store'),
    'event-stream': { ...before('event-stream'), LOG_EPOCH: '2' },
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
  const effectiveAt = new Date(Date.now() + 15_000);
  await lists.insertOne({ ...first, _id: 2, effectiveAt, refreshBlock: dearBlock } as never);
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

function listEvents(query = ''): Promise<ApiAnswer> {
  return customer.api.call({ path: `/v2/projects/${customer.projectId}/events${query}` });
}

/** The service's own program, as the image has it. */
async function rewind(service: ServiceName, toMs: number): Promise<void> {
  const address = 'http://127.0.0.1:1';
  const program = join(root, `services/${service}/dist/main.js`);
  const time = new Date(toMs).toISOString();
  await promisify(execFile)(process.execPath, [program, '--rewind-consumers-to', time], {
    env: {
      KAFKA_BROKERS: stack.kafkaBrokers,
      KAFKA_TOPIC_PREFIX: stack.topicPrefix,
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: stack.databaseOf(service),
      HTTP_PORT: '1',
      ...(service === 'event-stream'
        ? { GATEWAY_URL: address, WEBHOOK_SECRET_KEYS: newKey() }
        : {}),
    },
  });
}

test('after a restore every credit is where it was before the disaster, not as of the backup: the ledger reads its commands again, and books them at the prices of their own time (decisions: Prices of a command)', async () => {
  const charges = [1, 1, 1, dearBlock];
  const total = credits + toppedUp - charges.reduce((sum, charge) => sum + charge);
  const { accountId } = customer;
  await waitFor('the ledger has read everything again', async () => {
    return (await stack.operator.balance(accountId)).total === total;
  });

  expect(await stack.operator.balance(accountId)).toEqual({ total, held: 0, available: total });
  const rows = await stack.operator.statement(accountId);
  const settled = rows.filter(({ kind }) => kind === 'settle');
  const reservation = 125;
  expect(settled.map(({ refreshId }) => refreshId)).toEqual(ids);
  expect(settled.map(({ changeAvailable }) => reservation - changeAvailable)).toEqual(charges);
  expect(settled.map(({ priceVersion }) => priceVersion)).toEqual([1, 1, 1, 2]);
  expect(await stack.operator.openHolds(accountId)).toEqual([]);
  expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
});

test('after a restore every event has one place again, and a cursor from beyond the backup is answered with recovery (Events: log_epoch_changed)', async () => {
  await waitFor('the log has been filled again', async () => {
    return (await readProjectLog(stack, customer.projectId)).length === ids.length;
  });

  const log = await readProjectLog(stack, customer.projectId);
  expect(log.map(({ refreshId }) => refreshId).toSorted()).toEqual(ids.toSorted());
  expect(log.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
  const old = await listEvents(`?after=${lostCursor}`);
  expect([old.status, old.json.error.code]).toEqual([410, 'cursor_expired']);
  const from = await listEvents(`?after=${old.json.error.detail.resume_cursor}`);
  expect(from.status).toBe(200);
});

test('after a restore, with half of the services on new secrets, refreshes resume: what came after the backup is unknown, a new one is as any other', async () => {
  const [first = '', , lost = ''] = ids;
  expect((await customer.api.status(first)).json.data.state).toBe('completed');
  expect((await customer.api.status(lost)).json.error.code).toBe('refresh_not_found');

  const again = await refreshed(3);

  const { json } = await customer.api.status(again);
  expect(json.data).toMatchObject({ outcome: 'complete_changed', billing_state: 'finalized' });
  expect((await customer.api.current(sizeScope(3, 3))).json.data.total_count).toBe(3);
});

test('after a restore a Credential that was revoked since the backup has to be revoked again', async () => {
  const [first = ''] = ids;
  const holder = createPublicApi(stack.gatewayUrl, revoked.secret);
  expect((await holder.status(first)).status).toBe(200);

  await stack.operator.revoke(revoked.credentialId);

  await waitFor('the key is refused', async () => (await holder.status(first)).status === 401);
});
