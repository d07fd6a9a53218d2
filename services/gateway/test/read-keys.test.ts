import { request } from 'node:http';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import type { AccountId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { asSent } from '@inventory/testkit/as-sent';
import { newScope } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { standardDeadlines } from '../src/deadlines.ts';
import type { ApiResponse } from './support/api-call.ts';
import { noPage, setLiveInventory } from './support/fake-live-pages.ts';
import { membersText, saveInventory } from './support/fake-revision-store.ts';
import { currentPathOf, livePathOf, v1PathOf } from './support/paths.ts';
import { patientDeadlines, patientLimits, testStartMs } from './support/patience.ts';
import { noKeyIsOpen } from './support/settled-keys.ts';
import {
  type GatewayWorld,
  openWorld,
  startTestGateway,
  type TestGateway,
} from './support/test-gateway.ts';

/** Where a gateway waits for another request, it waits until the test moves this. */
const clock = createTestClock(testStartMs);
let world: GatewayWorld;
let gateway: TestGateway;
let other: TestGateway;

beforeAll(async () => {
  world = await openWorld(clock);
  const { undecidedReadMs } = standardDeadlines;
  const deadlines = { ...patientDeadlines, undecidedReadMs };
  [gateway, other] = await Promise.all([
    startTestGateway(world, { deadlines }),
    startTestGateway(world, { deadlines }),
  ]);
});
afterEach(() => world?.reset());
afterAll(() => world?.close());

let serial = 0;
function newKey(): string {
  serial += 1;
  return `key ${serial}`;
}

const keysStored = () => world.records.collection('page_read_keys');

/** Ready to be read on every route. */
function newInventory(): InventoryKey {
  const scope = newScope();
  setLiveInventory(world.collector.live, scope, { pages: [membersText('1'), membersText('2')] });
  saveInventory(world.revisions, scope, { pages: [membersText('1'), membersText('2')] });
  return scope;
}

const routes = [
  ['Live Page', livePathOf],
  ['Current', currentPathOf],
  ['V1', v1PathOf],
] as const;

describe.each(routes)('an Idempotency-Key on %s', (name, pathOf) => {
  const read = (
    scope: InventoryKey,
    key: string,
    idempotencyKey: string,
    at = gateway,
    query = '',
  ) =>
    at.call({ path: pathOf(scope) + query, key, headers: { 'idempotency-key': idempotencyKey } });

  test('reads a delivered page again free, three times, then is refused (Reads) [idempotency-key-of-page-reads]', async () => {
    const { key, principal } = world.issue();
    const scope = newInventory();
    const idempotencyKey = newKey();
    world.ledger.setBalance(principal.accountId, 10);
    const first = await read(scope, key, idempotencyKey);
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([200, undefined]);
    await noKeyIsOpen(world);

    for (let replay = 0; replay < 3; replay += 1) {
      const response = await read(scope, key, idempotencyKey, replay % 2 ? other : gateway);
      expect(response.status).toBe(200);
      expect(response.headers['idempotency-replayed']).toBe('true');
      if (name === 'V1') continue;
      expect(asSent(pageReadMeta, response.json.meta)).toMatchObject({
        price_version: 1,
        credits_charged: 0,
        credits_remaining: 9,
        billing_disposition: 'not_charged',
        billing_reason: 'idempotent_replay',
      });
    }
    const fourth = await read(scope, key, idempotencyKey);

    expect(fourth.status).toBe(409);
    expect(JSON.parse(fourth.text)).toMatchObject(
      name === 'V1'
        ? { detail: 'Request was already accepted' }
        : { error: { code: 'replays_exhausted', detail: { replays_max: 3 } } },
    );
    expect(fourth.text).not.toContain('assetid');
    expect(world.ledger.balanceOf(principal.accountId)).toBe(9);
  });

  test('with other inputs is a conflict, and nothing is done [idempotency-key-of-page-reads]', async () => {
    const { key, principal } = world.issue();
    const scope = newInventory();
    const idempotencyKey = newKey();
    await read(scope, key, idempotencyKey);

    const responses = [
      await read(newInventory(), key, idempotencyKey),
      await read(scope, key, idempotencyKey, other, '?language=german'),
    ];

    expect(responses.map(({ status }) => status)).toEqual([409, 409]);
    const charges = world.ledger.charges.filter(
      ({ accountId }) => accountId === principal.accountId,
    );
    expect(charges).toHaveLength(1);
  });

  test('belongs to its Project: a colleague of the same account pays for its own [idempotency-key-of-page-reads]', async () => {
    const { key, principal } = world.issue();
    const colleague = world.issue({ accountId: principal.accountId });
    const scope = newInventory();
    const idempotencyKey = newKey();
    await read(scope, key, idempotencyKey);

    const response = await read(scope, colleague.key, idempotencyKey);

    expect([response.status, response.headers['idempotency-replayed']]).toEqual([200, undefined]);
  });

  test('sent twice at once is charged once, at two replicas', async () => {
    const { key, principal } = world.issue();
    const scope = newInventory();
    const idempotencyKey = newKey();
    world.ledger.setBalance(principal.accountId, 10);

    const responses = await Promise.all(
      [gateway, other, gateway].map((at) => read(scope, key, idempotencyKey, at)),
    );

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const replayed = responses.filter(({ headers }) => headers['idempotency-replayed'] === 'true');
    expect(replayed).toHaveLength(2);
    expect(world.ledger.balanceOf(principal.accountId)).toBe(9);
  });

  test('whose first request is still undecided after 2 s is 409, come back (Errors) [undecided]', async () => {
    const { key } = world.issue();
    const scope = newInventory();
    const idempotencyKey = newKey();
    const gate = Promise.withResolvers<void>();
    world.ledger.beforeCharge = () => gate.promise;
    const first = read(scope, key, idempotencyKey);
    await waitFor(
      'the first request has its key',
      async () => (await keysStored().countDocuments({ state: 'open' })) > 0,
    );

    const startMs = clock.now();
    const responses: ApiResponse[] = [];
    const second = read(scope, key, idempotencyKey, other).then((given) => responses.push(given));
    await waitFor('the second one is answered', () => {
      clock.advance(200);
      return responses.length > 0;
    });
    await second;
    gate.resolve();

    expect(responses.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
      [409, '1'],
    ]);
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(2_000);
    expect((await first).status).toBe(200);
  });

  test('of an attempt whose charge was undone is as new: the next one is charged', async () => {
    const { key, principal } = world.issue();
    const scope = newInventory();
    const idempotencyKey = newKey();
    world.ledger.setBalance(principal.accountId, 10);
    world.ledger.decidesCharge = () => false;
    const undoing = read(scope, key, idempotencyKey);
    await waitFor('it is charged', () => world.ledger.balanceOf(principal.accountId) === 9);
    gateway.cutReplies();
    expect((await undoing).status).toBe(503);
    world.ledger.decidesCharge = () => true;

    await noKeyIsOpen(world);
    const response = await read(scope, key, idempotencyKey, other);

    expect([response.status, response.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect(world.ledger.balanceOf(principal.accountId)).toBe(9);
  });

  test('of an attempt without funds is as new', async () => {
    const { key, principal } = world.issue();
    const scope = newInventory();
    const idempotencyKey = newKey();
    world.ledger.setBalance(principal.accountId, 0);
    expect((await read(scope, key, idempotencyKey)).status).toBe(402);
    await noKeyIsOpen(world);
    world.ledger.setBalance(principal.accountId, 5);

    const response = await read(scope, key, idempotencyKey);

    expect([response.status, response.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect(world.ledger.balanceOf(principal.accountId)).toBe(4);
  });
});

describe('a replay on Live Page [replay]', () => {
  const read = (scope: InventoryKey, key: string, idempotencyKey: string) =>
    gateway.call({ path: livePathOf(scope), key, headers: { 'idempotency-key': idempotencyKey } });

  const paidKey = async (scope: InventoryKey, key: string, accountId: AccountId) => {
    const idempotencyKey = newKey();
    world.ledger.setBalance(accountId, 10);
    await read(scope, key, idempotencyKey);
    await noKeyIsOpen(world);
    return idempotencyKey;
  };

  test('counts once the platform was asked, whatever it answered, and not before (Reads) [idempotency-key-of-page-reads]', async () => {
    const { key, principal } = world.issue();
    const scope = newInventory();
    const idempotencyKey = await paidKey(scope, key, principal.accountId);
    const replay = async (found: Parameters<typeof noPage>[0]) => {
      world.collector.live.respondInstead = () => noPage(found);
      return (await read(scope, key, idempotencyKey)).status;
    };

    const statuses = [];
    for (const found of ['egress_busy', 'breaker_open', 'concurrency_limit'] as const) {
      statuses.push(await replay(found));
    }
    world.ledger.http.isDown = true;
    statuses.push((await read(scope, key, idempotencyKey)).status);
    world.ledger.http.isDown = false;
    expect(statuses).toEqual([502, 502, 429, 503]);
    const asked = [await replay('throttled'), await replay('timeout'), await replay('unconfirmed')];

    expect(asked).toEqual([502, 504, 502]);
    expect(await replay('bad_answer')).toBe(409);
    expect(world.ledger.balanceOf(principal.accountId)).toBe(9);
  });

  test('whose client leaves while the platform is asked counts (Reads) [idempotency-key-of-page-reads]', async () => {
    const { key, principal } = world.issue();
    const scope = newInventory();
    const idempotencyKey = await paidKey(scope, key, principal.accountId);
    const never = Promise.withResolvers<null>();
    for (let replay = 0; replay < 3; replay += 1) {
      const asked = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<void>();
      world.collector.live.onContacted = ({ socket }) => {
        socket.once('close', gone.resolve);
        asked.resolve();
      };
      world.collector.live.respondInstead = () => never.promise;
      const call = request(new URL(livePathOf(scope), gateway.url), {
        headers: { 'x-api-key': key, 'idempotency-key': idempotencyKey },
      });
      call.on('error', () => undefined).end();
      await asked.promise;
      call.socket?.resetAndDestroy();
      await gone.promise;
    }

    expect((await read(scope, key, idempotencyKey)).status).toBe(409);
    never.resolve(null);
  });

  test('that meets a denial costs nothing [inventory-private-inventory-not-found]', async () => {
    const { key, principal } = world.issue();
    const scope = newInventory();
    const idempotencyKey = await paidKey(scope, key, principal.accountId);

    world.collector.live.respondInstead = () => noPage('private');
    const denied = await read(scope, key, idempotencyKey);

    expect([denied.status, denied.json.error.code]).toEqual([403, 'inventory_private']);
    expect(denied.headers['idempotency-replayed']).toBe('true');
    expect(denied.json.meta).toMatchObject({
      credits_charged: 0,
      credits_remaining: 9,
      billing_reason: 'idempotent_replay',
    });
    expect(world.ledger.balanceOf(principal.accountId)).toBe(9);
  });

  test('needs no funds: what was paid can be read again', async () => {
    const { key, principal } = world.issue();
    const scope = newInventory();
    const idempotencyKey = newKey();
    world.ledger.setBalance(principal.accountId, 1);
    await read(scope, key, idempotencyKey);
    await noKeyIsOpen(world);

    expect(world.ledger.balanceOf(principal.accountId)).toBe(0);
    expect((await read(scope, key, idempotencyKey)).status).toBe(200);
  });
});

test('a download that breaks off is read again free with its key (Reads)', async () => {
  const { key, principal } = world.issue();
  const scope = newScope();
  const large = `"amount":"1","text":"${'x'.repeat(4_000_000)}"`;
  const pages = [membersText('1').replace('"amount":"1"', large)];
  setLiveInventory(world.collector.live, scope, { pages });
  world.ledger.setBalance(principal.accountId, 10);
  const headers = { 'idempotency-key': newKey() };
  const { hostname, port } = new URL(gateway.url);
  const broken = request({
    hostname,
    port,
    path: livePathOf(scope),
    headers: { 'x-api-key': key, ...headers },
  });
  await new Promise<void>((resolve) => {
    broken
      .on('error', () => undefined)
      .on('response', (response) => {
        response
          .on('error', () => undefined)
          .once('data', () => {
            broken.destroy();
            resolve();
          });
      });
    broken.end();
  });

  await noKeyIsOpen(world);
  const again = await gateway.call({ path: livePathOf(scope), key, headers });

  expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
  expect(again.bytes.length).toBeGreaterThan(4_000_000);
  expect(world.ledger.balanceOf(principal.accountId)).toBe(9);
});

test('a key older than it is kept is as new, before the store has forgotten it', async () => {
  const { key, principal } = world.issue();
  const scope = newInventory();
  world.ledger.setBalance(principal.accountId, 10);
  const headers = { 'idempotency-key': newKey() };
  const read = () => gateway.call({ path: livePathOf(scope), key, headers });
  await read();
  await noKeyIsOpen(world);

  clock.advance(patientLimits.readKeyKeepMs - 1);
  const kept = await read();
  clock.advance(1);
  const response = await read();

  expect(kept.headers['idempotency-replayed']).toBe('true');
  expect([response.status, response.headers['idempotency-replayed']]).toEqual([200, undefined]);
  expect(world.ledger.balanceOf(principal.accountId)).toBe(8);
});

test('a key is stored as a digest and nothing else', async () => {
  const { key } = world.issue();
  const scope = newInventory();
  const idempotencyKey = 'a-secret-a-client-put-here';
  await gateway.call({
    path: livePathOf(scope),
    key,
    headers: { 'idempotency-key': idempotencyKey },
  });

  const stored = await keysStored().find().toArray();

  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain(idempotencyKey);
});
