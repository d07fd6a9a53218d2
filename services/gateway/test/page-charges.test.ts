import { request } from 'node:http';
import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import type { PublicApiLimits } from '../src/config.ts';
import { type CutWire, startCut } from './support/cut-wire.ts';
import { saveInventory } from './support/fake-revision-store.ts';
import { currentPathOf } from './support/paths.ts';
import {
  type GatewayWorld,
  impatientLimits,
  openWorld,
  startTestGateway,
} from './support/test-gateway.ts';

let world: GatewayWorld;
let wire: CutWire | undefined;

async function start(limits: Partial<PublicApiLimits> = {}, mongodbUri?: string) {
  return await startTestGateway(world, { limits, ...(mongodbUri ? { mongodbUri } : {}) });
}

beforeAll(async () => {
  world = await openWorld();
});
afterEach(() => world?.reset());
afterAll(async () => {
  await world?.close();
  await wire?.close();
});

const startBalance = 100;

/** An account that can read one saved inventory. */
function newReader() {
  const { key, authority } = world.issue();
  const scope = newScope();
  saveInventory(world.revisions, scope);
  const { accountId } = authority;
  world.ledger.setBalance(accountId, startBalance);
  const isOwn = ({ account_id }: { account_id: string }) => account_id === accountId;
  return {
    key,
    path: currentPathOf(scope),
    balance: () => world.ledger.balanceOf(accountId),
    charges: () => world.ledger.charges.filter(isOwn),
    reverses: () => world.ledger.reverses.filter(isOwn),
    intents: () =>
      world.records.collection<{ accountId: string }>('page_intents').countDocuments({ accountId }),
  };
}

type Reader = ReturnType<typeof newReader>;

async function expectMadeGood(reader: Reader): Promise<void> {
  await waitFor(
    'the charge is undone and its intent gone',
    async () => (await reader.intents()) === 0,
  );
  expect(reader.balance()).toBe(startBalance);
  expect(reader.reverses().map(({ command_id }) => command_id)).toEqual(
    expect.arrayContaining(reader.charges().map(({ request_id }) => `reverse:${request_id}`)),
  );
}

test('a slow ledger delays the page and charges it once', async () => {
  const gateway = await start();
  const reader = newReader();
  world.ledger.beforeCharge = () => new Promise((resolve) => setTimeout(resolve, 700));

  const answer = await gateway.call(reader);

  expect([answer.status, answer.json.meta.credits_remaining]).toEqual([200, startBalance - 1]);
  await waitFor('the intent is deleted', async () => (await reader.intents()) === 0);
  expect([reader.charges().length, reader.reverses().length, reader.balance()]).toEqual([1, 0, 99]);
});

test('a charge whose outcome comes after the timeout is undone (Errors: billing_unavailable)', async () => {
  const gateway = await start(impatientLimits);
  const reader = newReader();
  world.ledger.beforeCharge = () => new Promise((resolve) => setTimeout(resolve, 2_200));

  const answer = await gateway.call(reader);

  expect([answer.status, answer.json.error.code]).toEqual([503, 'billing_unavailable']);
  expect(answer.headers['retry-after']).toBeDefined();
  expect(answer.json.meta.credits_charged).toBe(0);
  expect(answer.text).not.toContain('assetid');
  await expectMadeGood(reader);
});

test('a charge whose outcome is lost is undone', async () => {
  const gateway = await start(impatientLimits);
  const reader = newReader();
  const booked: number[] = [];
  world.ledger.answersCharge = () => {
    booked.push(reader.balance());
    return false;
  };

  expect((await gateway.call(reader)).status).toBe(503);
  await expectMadeGood(reader);
  expect(booked).toEqual([startBalance - 1]);
});

test('a reversal is sent again until its outcome is seen', async () => {
  const gateway = await start(impatientLimits);
  const reader = newReader();
  world.ledger.answersCharge = () => false;
  world.ledger.answersReverse = () => reader.reverses().length > 1;

  expect((await gateway.call(reader)).status).toBe(503);
  await expectMadeGood(reader);
  expect(reader.reverses().length).toBe(2);
});

test('a page that would start past its deadline is not written, and its charge is undone', async () => {
  const gateway = await start({ deliverWithinMs: 600, chargeTimeoutMs: 5_000 });
  const reader = newReader();
  world.ledger.beforeCharge = () => new Promise((resolve) => setTimeout(resolve, 900));

  const answer = await gateway.call(reader);

  expect([answer.status, answer.json.error.code]).toEqual([503, 'billing_unavailable']);
  await expectMadeGood(reader);
});

test('a client that is gone before the first byte pays nothing', async () => {
  const gateway = await start();
  const reader = newReader();
  const { hostname, port } = new URL(gateway.url);
  const headers = { 'x-api-key': reader.key };
  const call = request({ hostname, port, path: reader.path, headers }).on('error', () => undefined);
  world.ledger.beforeCharge = () => {
    call.destroy();
    return new Promise((resolve) => setTimeout(resolve, 300));
  };
  call.end();

  await waitFor('it was charged', () => reader.charges().length === 1);
  await waitFor('it is undone', () => reader.reverses().length === 1);
  await expectMadeGood(reader);
});

test('a gateway that dies between charge and first byte: another replica undoes the charge', async () => {
  const limits = { deliverWithinMs: 4_000, reverseAfterMs: 2_000, chargeTimeoutMs: 60_000 };
  wire = await startCut(world.namespace.mongodbUri);
  const dying = await start({ ...limits, drainMs: 100 }, wire.uri);
  const reader = newReader();
  // The charge is booked, and nobody is told before the gateway is gone.
  world.ledger.answersCharge = () => false;
  const call = dying.call(reader).catch(() => 'cut off');
  await waitFor('the charge is booked', () => reader.balance() === startBalance - 1);
  const startMs = performance.now();
  // Without its store it cannot put its affairs in order, as after a crash.
  wire.isOpen = false;
  expect(await reader.intents()).toBe(1);
  await dying.stop();
  expect(await call).toBe('cut off');

  await start(limits);
  await waitFor('it is undone', async () => (await reader.intents()) === 0);

  expect(reader.balance()).toBe(startBalance);
  expect(performance.now() - startMs).toBeGreaterThan(limits.reverseAfterMs);
});

test('what is refused after its reversal came first is not a page, and costs nothing', async () => {
  const gateway = await start();
  const reader = newReader();
  world.ledger.refuseCharge = () => ({ code: 'already_reversed', required: null, available: null });

  const answer = await gateway.call(reader);

  expect([answer.status, answer.json.error.code]).toEqual([503, 'billing_unavailable']);
  expect(reader.balance()).toBe(startBalance);
});

test('100 pages at once are 100 charges, and no intent is left', async () => {
  const gateway = await start();
  const reader = newReader();

  const answers = await Promise.all(Array.from({ length: 100 }, () => gateway.call(reader)));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(reader.balance()).toBe(0);
  await waitFor('all intents are deleted', async () => (await reader.intents()) === 0);
  expect(reader.reverses()).toEqual([]);
  expect((await gateway.call(reader)).status).toBe(402);
});
