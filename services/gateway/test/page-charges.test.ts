import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { newRefreshId, newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { clock, gateway, world } from './support/clocked-gateway.ts';
import { type CutWire, startCut } from './support/cut-wire.ts';
import { setLiveInventory } from './support/fake-live-pages.ts';
import { membersText, saveInventory } from './support/fake-revision-store.ts';
import { changesPathOf, currentPathOf, livePathOf, v1PathOf } from './support/paths.ts';
import { patientLimits } from './support/patience.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

let wire: CutWire | undefined;
/** Each account may leave one page untaken, and all of them two. */
let narrow: TestGateway;

beforeAll(async () => {
  narrow = await startTestGateway(world, { undelivered: { perKeyMax: 1, totalMax: 2 } });
});
afterAll(() => wire?.close());

const startBalance = 100;

/** An account that can read one inventory, which is saved. */
function newReader(pathOf: (scope: InventoryKey) => string = currentPathOf, pages = ['1']) {
  const { key, principal } = world.issue();
  const scope = newScope();
  const texts = pages.map((id) => membersText(id));
  saveInventory(world.revisions, scope, { pages: texts });
  setLiveInventory(world.collector.live, scope, { pages: texts });
  const { accountId } = principal;
  world.ledger.setBalance(accountId, startBalance);
  const isOwn = (command: { accountId: string }) => command.accountId === accountId;
  return {
    key,
    accountId,
    path: pathOf(scope),
    balance: () => world.ledger.balanceOf(accountId),
    charges: () => world.ledger.charges.filter(isOwn),
    reverses: () => world.ledger.reverses.filter(isOwn),
    intents: () =>
      world.records.collection<{ accountId: string }>('page_intents').countDocuments({ accountId }),
  };
}

type Reader = ReturnType<typeof newReader>;

const requestOf = ({ path, key }: Reader, connection = 'keep-alive') =>
  `GET ${path} HTTP/1.1\r\nHost: gateway\r\nX-API-Key: ${key}\r\nConnection: ${connection}\r\n\r\n`;

const isCharged = (reader: Reader) =>
  waitFor('the charge is sent', () => reader.charges().length > 0);
const isBooked = (reader: Reader) =>
  waitFor('the charge is booked', () => reader.balance() === startBalance - 1);

async function expectMadeGood(reader: Reader): Promise<void> {
  await waitFor(
    'the charge is undone and its intent gone',
    async () => (await reader.intents()) === 0,
  );
  expect(reader.balance()).toBe(startBalance);
  expect(reader.reverses().map(({ commandId }) => commandId)).toEqual(
    expect.arrayContaining(reader.charges().map(({ requestId }) => `reverse:${requestId}`)),
  );
}

/** The charge is booked, and no reply to it comes in time. */
async function readWithoutOutcome(reader: Reader) {
  world.ledger.decidesCharge = () => false;
  const answering = gateway.call(reader);
  await isBooked(reader);
  gateway.cutReplies();
  return await answering;
}

/** The gateway has polled for reversals at the present time of its clock. */
async function sweepPasses(): Promise<void> {
  const other = newReader();
  expect((await readWithoutOutcome(other)).status).toBe(503);
  await expectMadeGood(other);
}

test('a slow ledger delays the page and charges it once', async () => {
  const reader = newReader();
  const gate = Promise.withResolvers<void>();
  world.ledger.beforeCharge = () => gate.promise;
  const answering = gateway.call(reader);
  await isCharged(reader);
  expect(await reader.intents()).toBe(1);

  gate.resolve();
  const response = await answering;

  expect([response.status, response.json.meta.credits_remaining]).toEqual([200, startBalance - 1]);
  await waitFor('the intent is deleted', async () => (await reader.intents()) === 0);
  expect([reader.charges().length, reader.reverses().length, reader.balance()]).toEqual([1, 0, 99]);
});

test('a charge whose outcome comes after the timeout is undone (Errors: billing_unavailable) [billing-unavailable]', async () => {
  const reader = newReader();
  const gate = Promise.withResolvers<void>();
  world.ledger.beforeCharge = () => gate.promise;
  const answering = gateway.call(reader);
  await isCharged(reader);
  expect(gateway.cutReplies()).toEqual([patientLimits.chargeTimeoutMs]);

  const response = await answering;
  gate.resolve();

  expect([response.status, response.json.error.code]).toEqual([503, 'billing_unavailable']);
  expect(response.headers['retry-after']).toBeDefined();
  expect(response.json.meta.credits_charged).toBe(0);
  expect(response.text).not.toContain('assetid');
  await expectMadeGood(reader);
});

test('a charge whose outcome is lost is undone', async () => {
  const reader = newReader();

  expect((await readWithoutOutcome(reader)).status).toBe(503);

  await expectMadeGood(reader);
});

test('a reversal is sent again until its outcome is seen', async () => {
  const reader = newReader();
  world.ledger.decidesReverse = () => reader.reverses().length > 1;

  expect((await readWithoutOutcome(reader)).status).toBe(503);
  await waitFor('the reversal is sent', () => reader.reverses().length === 1);
  gateway.cutReplies();
  clock.advance(10_000);

  await expectMadeGood(reader);
  expect(reader.reverses().length).toBe(2);
});

test('a page that would start past its deadline is not written, and its charge is undone', async () => {
  const reader = newReader();
  world.ledger.beforeCharge = () => clock.advance(patientLimits.deliverWithinMs);

  const response = await gateway.call(reader);

  expect([response.status, response.json.error.code]).toEqual([503, 'billing_unavailable']);
  await expectMadeGood(reader);
});

test.each<[string, string, (client: Socket) => unknown]>([
  ['has reset its connection', '', (client) => client.resetAndDestroy()],
  ['has hung up', '', (client) => client.destroy()],
  ['has ended its side', '', (client) => client.end()],
  ['has hung up on its export', '/export', (client) => client.destroy()],
])('a client that %s before the first byte pays nothing', async (_what, of, leave) => {
  const charged = newReader();
  const reader = { ...charged, path: `${charged.path}${of}` };
  const gate = Promise.withResolvers<void>();
  world.ledger.beforeCharge = () => gate.promise;
  const { hostname, port } = new URL(gateway.url);
  const client = connect(Number(port), hostname).resume();
  client.write(requestOf(reader));
  await isCharged(reader);

  leave(client);
  // The gateway has seen it when it has answered a later request.
  await gateway.call({ path: '/openapi.json' });
  gate.resolve();

  await waitFor('it is undone', () => reader.reverses().length === 1);
  await expectMadeGood(reader);
});

test('a page after another response of its connection is charged when that response is sent (Reads: a charge stands once the first body byte is written)', async () => {
  const first = newReader();
  const second = newReader();
  const gate = Promise.withResolvers<null>();
  const isOfFirst = ({ pathname }: URL) => first.path.includes(pathname.split('/')[2] ?? '?');
  world.revisions.respondInstead = (url) => (isOfFirst(url) ? gate.promise : null);
  const { hostname, port } = new URL(gateway.url);
  const client = connect(Number(port), hostname);
  let received = '';
  client.setEncoding('utf8').on('data', (part: string) => {
    received += part;
  });
  client.write(requestOf(first, 'keep-alive') + requestOf(second, 'close'));
  await waitFor('the first page is fetched', () => world.revisions.asked.some(isOfFirst));

  // As long as it takes for an undelivered page to be reversed.
  clock.advance(patientLimits.deliverWithinMs + patientLimits.reverseAfterMs);
  await sweepPasses();
  world.ledger.decidesCharge = () => true;
  gate.resolve(null);
  await once(client, 'close');

  expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 200']);
  await waitFor('the intent is deleted', async () => (await second.intents()) === 0);
  expect(first.balance()).toBe(startBalance);
  expect([second.charges().length, second.reverses().length, second.balance()]).toEqual([
    1,
    0,
    startBalance - 1,
  ]);
});

test('a gateway that dies between charge and first byte: another replica undoes the charge', async () => {
  wire = await startCut(world.namespace.mongodbUri);
  const dying = await startTestGateway(world, {
    limits: { drainMs: 0 },
    mongodbUri: wire.uri,
    stopDeadlineMs: 500,
  });
  const reader = newReader();
  // The charge is booked, and the gateway is gone before it has the outcome.
  world.ledger.decidesCharge = () => false;
  const call = dying.call(reader).catch(() => ({ status: 'cut off' }));
  await isBooked(reader);
  // Without its store it cannot put its affairs in order, as after a crash.
  wire.isOpen = false;
  await dying.stop();
  expect((await call).status).not.toBe(200);

  clock.advance(patientLimits.deliverWithinMs + patientLimits.reverseAfterMs - 1);
  await sweepPasses();
  expect([await reader.intents(), reader.reverses()]).toEqual([1, []]);
  clock.advance(1);

  await expectMadeGood(reader);
});

test('what is refused after its reversal came first is not a page, and costs nothing', async () => {
  const reader = newReader();
  world.ledger.refuseCharge = () => ({ code: 'already_reversed', required: null, available: null });

  const response = await gateway.call(reader);

  expect([response.status, response.json.error.code]).toEqual([503, 'billing_unavailable']);
  expect(reader.balance()).toBe(startBalance);
});

test('100 pages at once are 100 charges, and no intent is left', async () => {
  const reader = newReader();

  const responses = await Promise.all(Array.from({ length: 100 }, () => gateway.call(reader)));

  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(reader.balance()).toBe(0);
  await waitFor('all intents are deleted', async () => (await reader.intents()) === 0);
  expect(reader.reverses()).toEqual([]);
  expect((await gateway.call(reader)).status).toBe(402);
});

test.each([
  ['Current', currentPathOf],
  ['Changes', (scope: InventoryKey) => changesPathOf(scope, `since=invrev_${newRefreshId()}`)],
  ['Live Page', livePathOf],
  ['V1', v1PathOf],
])(
  '%s: with as many bytes as an account may leave untaken a page is 429, past those of all accounts 503, and costs nothing (Everything is bounded) [rate-limit]',
  async (_name, pathOf) => {
    const [first, second, third] = [newReader(pathOf), newReader(pathOf), newReader(pathOf)];
    world.ledger.decidesCharge = () => false;
    const held = [narrow.call(first)];
    await isBooked(first);

    const ofAccount = await narrow.call(first);
    held.push(narrow.call(second));
    await isBooked(second);
    const ofAll = await narrow.call(third);
    world.ledger.reset();
    narrow.cutReplies();
    await Promise.all(held);

    expect([ofAccount.status, ofAll.status]).toEqual([429, 503]);
    expect(ofAccount.headers['retry-after']).toBe('1');
    expect([first.charges().length, third.charges().length]).toEqual([1, 0]);
    await waitFor(
      'what is not held any more makes room',
      async () => (await narrow.call(third)).status === 200,
    );
    expect(third.charges()).toHaveLength(1);
  },
);

test('a client that takes nothing loses its page to another one in time, and keeps it where nobody wants it (Everything is bounded)', async () => {
  const large = `1","n":"${'x'.repeat(24_000_000)}`;
  const [slow, filling, other] = [newReader(currentPathOf, [large]), newReader(), newReader()];
  const client = connect(Number(new URL(narrow.url).port), '127.0.0.1');
  client.write(requestOf(slow));
  await once(client, 'readable');
  const closed = once(client, 'close');
  world.ledger.decidesCharge = ({ accountId }) => accountId !== filling.accountId;
  const held = narrow.call(filling);
  await isBooked(filling);
  // What buffers take meanwhile does not make up for it.
  clock.advance(3_000_000);
  expect((await narrow.call(filling)).status).toBe(429);
  expect(client.destroyed).toBe(false);

  expect((await narrow.call(other)).status).toBe(200);
  client.resume();
  await closed;
  narrow.cutReplies();
  await held;

  expect(client.bytesRead).toBeLessThan(24_000_000);
  expect(slow.balance()).toBe(startBalance - 1);
});
