import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newScope } from '@inventory/testkit/builders';
import { type MessageRecorder, recordMessages } from '@inventory/testkit/message-recorder';
import { waitFor } from '@inventory/testkit/wait-for';
import { setLiveInventory } from './support/fake-live-pages.ts';
import { membersText } from './support/fake-revision-store.ts';
import { world } from './support/file-world.ts';
import { livePathOf, v1AliasPathOf } from './support/paths.ts';
import { noKeyIsOpen } from './support/settled-keys.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

let gateway: TestGateway;
let other: TestGateway;
let commands: MessageRecorder;

beforeAll(async () => {
  const captures = { appsExcluded: [excludedApp] };
  [gateway, other] = await Promise.all([
    startTestGateway(world, { captures }),
    startTestGateway(world, { captures }),
  ]);
  commands = await recordMessages(world.bus, ['revision.commands.v1']);
});

const excludedApp = 999;
const texts = [membersText('1'), membersText('2')];

function newInventory(pages = texts, appId?: number): InventoryKey {
  const scope = { ...newScope(), ...(appId === undefined ? {} : { app_id: appId }) };
  setLiveInventory(world.collector.live, scope, { pages });
  return scope;
}

interface Wanted {
  readonly cursor?: string;
  readonly capture?: 'true' | 'false';
  readonly idempotencyKey?: string;
  readonly at?: TestGateway;
}

function read(
  scope: InventoryKey,
  key: string,
  { cursor, capture, idempotencyKey, at = gateway }: Wanted = {},
) {
  const query = new URLSearchParams({ ...(cursor && { cursor }), ...(capture && { capture }) });
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return at.call({ path: `${livePathOf(scope)}?${query}`, key, headers });
}

async function readOk(scope: InventoryKey, key: string, wanted: Wanted = {}): Promise<string> {
  const response = await read(scope, key, wanted);
  if (response.status !== 200) throw new Error(`${response.status} ${response.text}`);
  return response.json.data.pagination.next_cursor;
}

const completedOf = (scope: InventoryKey) =>
  commands.all.filter(
    ({ body }) => 'scope' in body && body.scope?.platform_id === scope.platform_id,
  );
const completed = (scope: InventoryKey) =>
  waitFor('the chain is sent', () => completedOf(scope)[0]);

/** All charges are over, and a chain that was complete only now is sent. */
async function expectNotSent(scope: InventoryKey): Promise<void> {
  const { records } = world;
  await waitFor(
    'no charge is open and no chain waits',
    async () =>
      (await records.collection('page_intents').countDocuments()) === 0 &&
      (await records.collection('captures').countDocuments({ work: { $exists: true } })) === 0,
  );
  const fence = newInventory([membersText('9')]);
  await readOk(fence, world.issue().key);
  await completed(fence);
  expect(completedOf(scope)).toEqual([]);
}

test('a chain that is charged page by page is staged as it is delivered, and sent (Capture) [capture]', async () => {
  const { key, principal } = world.issue();
  const scope = newInventory();

  await readOk(scope, key, { cursor: await readOk(scope, key), at: other });

  const { body } = await completed(scope);
  expect(body).toMatchObject({ accountId: principal.accountId, scope, language: 'english' });
  if (!('pages' in body)) throw new Error('no manifest');
  const staged = body.pages.map(
    ({ page }) => world.revisions.staging.chunks.get(`${body.scanId}/1/${page}/0`)?.text,
  );
  expect(staged).toEqual(texts.map((text) => `{${text}}`));
});

test('a chain is not staged where its account, its client or its application excludes it, and is read on (Capture is optional) [capture-is-optional]', async () => {
  const { key, principal } = world.issue();
  const off = world.issue({ accountId: principal.accountId, captureEnabled: false });
  const all = newInventory();
  const staged = () => world.revisions.staging.chunks.size;
  const before = staged();

  // The account; the client, from whose cursor on it is final; the application.
  await readOk(all, off.key, { cursor: await readOk(all, off.key) });
  const unsaved = await readOk(all, key, { capture: 'false' });
  await readOk(all, key, { cursor: unsaved, capture: 'true', at: other });
  const excluded = newInventory(texts, excludedApp);
  await readOk(excluded, key, { cursor: await readOk(excluded, key) });
  expect(staged()).toBe(before);
  // The account, within a chain.
  const begun = await readOk(all, key, { idempotencyKey: 'first page' });
  expect(staged()).toBe(before + 1);
  const last = await readOk(all, off.key, { cursor: begun });
  const otherInputs = await read(all, key, { capture: 'false', idempotencyKey: 'first page' });

  expect(last).toBeUndefined();
  expect([otherInputs.status, otherInputs.json.error.code]).toEqual([409, 'idempotency_conflict']);
  await expectNotSent(all);
  expect(completedOf(excluded)).toEqual([]);
});

test('a page that was read before its inventory was erased is not staged after it: its chain is read on and never sent (Capture) [erase]', async () => {
  const { key } = world.issue();
  for (const erasedAt of [0, 1]) {
    const scope = newInventory();
    const { live } = world.collector;
    let reads = 0;
    live.respondInstead = () => {
      if (reads === erasedAt) world.revisions.staging.erase(inventoryKeyText(scope));
      reads += 1;
      return null;
    };

    await readOk(scope, key, { cursor: await readOk(scope, key), at: other });
    live.reset();

    await expectNotSent(scope);
  }
});

test('a chain with a page whose charge was undone is read on and never sent', async () => {
  const { key, principal } = world.issue();
  const scope = newInventory();
  const cursor = await readOk(scope, key);
  world.ledger.decidesCharge = () => false;
  const ofAccount = ({ accountId }: { accountId: string }) => accountId === principal.accountId;
  const undoing = read(scope, key, { cursor });
  await waitFor('it is charged', () => world.ledger.charges.filter(ofAccount).length === 2);
  gateway.cutReplies();
  expect((await undoing).status).toBe(503);
  world.ledger.decidesCharge = () => true;
  await waitFor('the charge is undone', () => world.ledger.reverses.some(ofAccount));

  expect((await read(scope, key, { cursor })).status).toBe(200);

  await expectNotSent(scope);
});

test('a chain whose last page is refused for lack of funds is not sent before it is paid', async () => {
  const { key, principal } = world.issue();
  const scope = newInventory();
  world.ledger.setBalance(principal.accountId, 1);
  const cursor = await readOk(scope, key);
  world.ledger.refuseCharge = () => ({
    code: 'insufficient_credits',
    detail: { required: 1, available: 0 },
  });
  world.ledger.setBalance(principal.accountId, 1);
  expect((await read(scope, key, { cursor })).status).toBe(402);
  world.ledger.refuseCharge = () => null;
  await expectNotSent(scope);

  world.ledger.setBalance(principal.accountId, 5);
  await readOk(scope, key, { cursor });

  await completed(scope);
});

test.each([
  ['unchanged does not hurt its chain', texts.concat(membersText('3')), true],
  ['changed ends its chain', [membersText('1'), membersText('4'), membersText('3')], false],
])('a page read again for its Idempotency-Key and %s', async (_what, then, isSent) => {
  const { key } = world.issue();
  const scope = newInventory(texts.concat(membersText('3')));
  const again = { cursor: await readOk(scope, key), idempotencyKey: systemIdentifiers.uuidV7() };
  const last = await readOk(scope, key, again);
  await noKeyIsOpen(world);
  setLiveInventory(world.collector.live, scope, { pages: then });
  const replayed = await read(scope, key, again);
  expect(replayed.headers['idempotency-replayed']).toBe('true');

  await readOk(scope, key, { cursor: last });

  if (isSent) await completed(scope);
  else await expectNotSent(scope);
});

test('a chain that begins with a page read for nothing is read on and not captured', async () => {
  const { key } = world.issue();
  const scope = newInventory();
  const idempotencyKey = systemIdentifiers.uuidV7();
  await readOk(scope, key, { idempotencyKey });
  await noKeyIsOpen(world);
  const replayed = await read(scope, key, { idempotencyKey });
  expect(replayed.headers['idempotency-replayed']).toBe('true');

  await readOk(scope, key, { cursor: replayed.json.data.pagination.next_cursor });

  await expectNotSent(scope);
});

test('while the revision-store is unavailable pages are read and charged as usual, and not captured', async () => {
  const { key, principal } = world.issue();
  const scope = newInventory();
  world.revisions.http.isDown = true;
  const cursor = await readOk(scope, key);
  world.revisions.http.isDown = false;

  await readOk(scope, key, { cursor });

  expect(
    world.ledger.charges.filter(({ accountId }) => accountId === principal.accountId),
  ).toHaveLength(2);
  await expectNotSent(scope);
});

test('V1 and denials stage nothing [inventory-private-inventory-not-found]', async () => {
  const { key } = world.issue();
  const before = world.revisions.staging.chunks.size;
  const scope = newInventory([membersText('1')]);

  expect((await gateway.call({ path: v1AliasPathOf(scope), key })).status).toBe(200);
  expect((await read(newScope(), key)).status).toBe(404);

  await expectNotSent(scope);
  // The fence of the line before is the one chunk more.
  expect(world.revisions.staging.chunks.size).toBe(before + 1);
});
