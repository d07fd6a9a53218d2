import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { contentCodings } from '@inventory/contracts/vocabulary';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newScope } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { Binary } from 'mongodb';
import { newScan, plainPage } from './support/scan-builder.ts';
import { chunkPathOf, pinTo } from './support/store-client.ts';
import {
  openStoreUnderTest,
  type Replica,
  type StoreUnderTest,
} from './support/store-under-test.ts';

let store: StoreUnderTest;
let replica: Replica;
/** Of all tests; it only goes forward. */
const clock = createTestClock(Date.now());

beforeAll(async () => {
  store = await openStoreUnderTest();
  replica = await store.start({ clock });
});
afterAll(() => store.close());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const page = plainPage(0, 3);
const renamed = {
  ...page,
  descriptions: [{ ...page.descriptions[0], name: 'renamed' }],
} as typeof page;

const countBlocks = async (...scopes: InventoryKey[]) => {
  const { assetBlocks, textBlocks } = store.collections;
  const ofThem = { scope: { $in: scopes.map(inventoryKeyText) } };
  const [assets, texts] = await Promise.all([
    assetBlocks.countDocuments(ofThem),
    textBlocks.countDocuments(ofThem),
  ]);
  return { assets, texts };
};

const untilBlocks = (assets: number, texts: number, ...scopes: InventoryKey[]) =>
  waitFor(`${assets} asset and ${texts} text blocks are left`, async () => {
    const left = await countBlocks(...scopes);
    return left.assets === assets && left.texts === texts;
  });

describe('Pruning (Reads: 24 hours, 180 days) [superseded-stays-24-h-the-head-180-days]', () => {
  it('keeps a superseded revision readable for a day, then answers 410 and deletes it', async () => {
    const scope = newScope();
    const saved = await replica.save({
      scope,
      pages: [page],
      completedAtMs: clock.now(),
    });
    clock.advance(hourMs);
    const head = await replica.save({
      scope,
      pages: [plainPage(0, 4)],
      completedAtMs: clock.now(),
    });
    const pinned = () => replica.client.page(scope, pinTo(saved));

    clock.advance(dayMs - 1);
    expect((await pinned()).assets).toEqual(page.assets);
    clock.advance(1);
    expect(await pinned()).toEqual({ status: 410, code: 'cursor_expired' });

    // Texts of the head, and those that its changes need.
    await untilBlocks(1, 2, scope);
    const ofIt = { scope: inventoryKeyText(scope) };
    expect(await store.collections.observations.countDocuments(ofIt)).toBe(0);
    expect((await replica.client.page(scope)).meta.revisionId).toBe(head.revisionId);
  });

  it('deletes texts that only superseded observations show, and none that the head shows', async () => {
    const scope = newScope();
    await replica.save({ scope, pages: [page], completedAtMs: clock.now() });
    await replica.save({
      scope,
      pages: [page],
      language: 'german',
      completedAtMs: clock.now() + 1,
    });
    await replica.save({ scope, pages: [renamed], completedAtMs: clock.now() + 2 });
    expect(await countBlocks(scope)).toEqual({ assets: 1, texts: 3 });

    clock.advance(dayMs);

    await untilBlocks(1, 2, scope);
    expect((await replica.client.page(scope)).descriptions).toEqual(renamed.descriptions);
    const german = await replica.client.page(scope, { language: 'german' });
    expect(german.descriptions).toEqual(page.descriptions);
  });

  it('deletes rows, texts and packed pages that only superseded observations show, read in each coding, and none that the head shows', async () => {
    const scope = newScope();
    const observed = (wear: string, name: string) => ({
      assets: page.assets.map((row) => ({ ...row, asset_properties: [{ float_value: wear }] })),
      descriptions: page.descriptions.map((row) => ({ ...row, name })),
    });
    const pages = [
      // Other rows of the same texts, other texts of the same rows, and both.
      observed('0.1', 'Blade'),
      observed('0.2', 'Blade'),
      observed('0.2', 'Klinge'),
      observed('0.3', 'Blade'),
    ];
    for (const [position, one] of pages.entries()) {
      await replica.save({ scope, pages: [one], completedAtMs: clock.now() + position });
      for (const coding of contentCodings) {
        expect((await replica.client.page(scope, { coding })).assets).toEqual(one.assets);
      }
    }
    // Two sets of rows beside those of the revision, three of texts, and four pages in each coding.
    expect(await countBlocks(scope)).toEqual({
      assets: 1,
      texts: 2 + 3 + 4 * contentCodings.length,
    });

    clock.advance(dayMs);

    await untilBlocks(1, 2 + contentCodings.length, scope);
    expect((await replica.client.page(scope)).assets).toEqual(pages[3]?.assets);
  });

  it('deletes an inventory 180 days after it was last observed', async () => {
    const [scope, younger] = [newScope(), newScope()];
    await replica.save({ scope, pages: [page], completedAtMs: clock.now() });
    clock.advance(100 * dayMs);
    await replica.save({ scope, pages: [page], completedAtMs: clock.now() });
    clock.advance(1);
    await replica.save({ scope: younger, pages: [page], completedAtMs: clock.now() });

    // In one step: a visit between two would come again after a time that this clock never reaches.
    clock.advance(180 * dayMs - 1);

    await untilBlocks(1, 1, scope, younger);
    expect((await replica.client.page(scope)).code).toBe('inventory_revision_not_found');
    expect((await replica.client.page(younger)).status).toBe(200);
    await waitFor('nothing of it is remembered', async () => {
      return (
        (await store.collections.scopes.countDocuments({ _id: inventoryKeyText(scope) })) === 0
      );
    });
    const again = await replica.save({ scope, pages: [page], completedAtMs: clock.now() });
    expect(again.changed).toBe(true);
  });

  it('is at once, of one inventory, where that is aged: a day for what is superseded, 180 days for all (Sandbox: state verbs) [sandbox]', async () => {
    const [scope, other] = [newScope(), newScope()];
    const [saved, apart] = await Promise.all(
      [scope, other].map((one) =>
        replica.save({ scope: one, pages: [page], completedAtMs: clock.now() }),
      ),
    );
    if (!saved || !apart) throw new Error('two are saved');
    clock.advance(1);
    const head = await replica.save({
      scope,
      pages: [plainPage(0, 4)],
      completedAtMs: clock.now(),
    });
    const verifiedAtMs = async () => (await replica.client.observation(scope))?.verifiedAtMs;
    const pinned = async () => (await replica.client.page(scope, pinTo(saved))).status;
    const age = (of: number) => replica.client.age(scope, of);

    expect(await age(3_600)).toBe(clock.now() - hourMs);
    expect(await verifiedAtMs()).toBe(clock.now() - hourMs);
    expect(await pinned()).toBe(200);
    await age(24 * 3_600);
    expect(await pinned()).toBe(410);
    expect((await replica.client.page(scope)).meta.revisionId).toBe(head.revisionId);
    expect(await age(180 * 24 * 3_600)).toBeNull();
    expect((await replica.client.page(scope)).code).toBe('inventory_revision_not_found');
    expect(await age(1)).toBe('inventory_revision_not_found');
    expect(await countBlocks(scope)).toEqual({ assets: 0, texts: 0 });
    expect((await replica.client.observation(other))?.revisionId).toBe(apart.revisionId);
    const again = await replica.save({ scope, pages: [page], completedAtMs: clock.now() });
    expect(again.changed).toBe(true);
  });

  it('deletes what a chain staged that was never captured after an hour, and nothing of a scan', async () => {
    const [chain, scan] = (['capture', 'refresh'] as const).map((source) =>
      newScan({ scope: newScope(), pages: [page], source }),
    );
    if (!chain || !scan) throw new Error('two scans');
    await replica.client.stage(chain);
    await replica.client.stage(scan);
    expect((await replica.client.staged(chain)).pages).toHaveLength(1);

    clock.advance(hourMs + 1);

    await waitFor('the pages of the chain are gone', async () => {
      return (await replica.client.staged(chain)).pages.length === 0;
    });
    expect((await replica.client.staged(scan)).pages).toHaveLength(1);
  });

  it('deletes chunks of a scan without a command after a day, and none of a waiting scan', async () => {
    const [forgotten, waiting] = [page, page].map((one) =>
      newScan({ scope: newScope(), pages: [one, one] }),
    );
    if (!forgotten || !waiting) throw new Error('two scans');
    await replica.client.stage(forgotten);
    await replica.client.putChunk(chunkPathOf(waiting, 0, 0), waiting.pages[0]?.[0] as Buffer);
    const staged = (scanId: string) => store.collections.chunks.countDocuments({ scanId });
    clock.advance(dayMs);
    expect(await staged(forgotten.scanId)).toBe(2);
    await store.complete(waiting);
    await waitFor('a first try found it missing', async () => {
      const { work } = (await store.collections.scans.findOne({ _id: waiting.scanId })) ?? {};
      return work?.owner && work.tries === 0;
    });

    clock.advance(1);

    await waitFor('its chunks are gone', async () => (await staged(forgotten.scanId)) === 0);
    expect(await staged(waiting.scanId)).toBe(1);
    await replica.client.putChunk(chunkPathOf(waiting, 1, 0), waiting.pages[1]?.[0] as Buffer);
    clock.advance(20_000);
    expect((await store.committed(waiting)).observedAssets).toBe(3);
  });

  it('skips an inventory while it is assembled', async () => {
    const scope = newScope();
    await replica.save({ scope, pages: [page], completedAtMs: clock.now() });
    await store.collections.assetBlocks.insertOne({
      _id: 'invrev_new/0',
      scope: inventoryKeyText(scope),
      set: 'invrev_new',
      index: 0,
    } as never);
    const until = new Date(8e12);
    await store.collections.scopes.updateOne(
      { _id: inventoryKeyText(scope) },
      {
        $set: { lease: { owner: 'assembling', until }, pruneAtMs: clock.now() },
      },
    );
    const other = newScope();
    await replica.save({ scope: other, pages: [page], completedAtMs: clock.now() - 181 * dayMs });
    await waitFor('a round of pruning has run', async () => {
      return (
        (await store.collections.scopes.countDocuments({ _id: inventoryKeyText(other) })) === 0
      );
    });
    expect((await countBlocks(scope)).assets).toBe(2);

    await store.collections.scopes.updateOne(
      { _id: inventoryKeyText(scope) },
      { $set: { 'lease.until': new Date(0) } },
    );

    await untilBlocks(1, 1, scope);
  });
});

describe('One round of pruning (architecture: everything is bounded)', () => {
  /** More than any batch of a round. */
  const many = 250;
  const scanIds = Array.from({ length: many }, systemIdentifiers.uuidV7);
  let backlog: StoreUnderTest;

  beforeEach(async () => {
    backlog = await openStoreUnderTest();
  });
  afterEach(() => backlog.close());

  /** Its first round begins at once, and its second not before the test is over. */
  const startPruning = () => backlog.start({ clock, retention: { pruneEveryMs: dayMs } });
  const stageChunks = (stagedAtMs: number) =>
    backlog.collections.chunks.insertMany(
      scanIds.map((scanId) => ({
        _id: `${scanId}/1/0/0`,
        scanId,
        digest: '',
        rawBytes: 0,
        content: new Binary(),
        stagedAtMs,
      })),
    );
  const untilNoChunk = () =>
    waitFor('no chunk is left', async () => {
      return (await backlog.collections.chunks.countDocuments({})) === 0;
    });

  it('deletes the chunks of every decided scan, of any number', async () => {
    await stageChunks(clock.now());
    await backlog.collections.scans.insertMany(
      scanIds.map((_id) => ({
        _id,
        state: 'rejected',
        refreshId: null,
        receivedAtMs: clock.now(),
        trace: {},
        decidedAtMs: clock.now(),
        chunksDropAtMs: clock.now(),
      })),
    );

    await startPruning();

    await untilNoChunk();
  });

  it('deletes every chunk without a command, also those staged at the same moment', async () => {
    await stageChunks(clock.now() - dayMs - 1);

    await startPruning();

    await untilNoChunk();
  });

  it('continues after a corrupt record of a scan, whose chunks it keeps (architecture: everything is bounded)', async () => {
    await stageChunks(clock.now() - dayMs - 1);
    const [corrupt = ''] = scanIds;
    const record = { state: 'received', refreshId: 'none', receivedAtMs: clock.now(), trace: {} };
    await backlog.collections.scans.insertOne({ _id: corrupt, ...record } as never);
    const scope = inventoryKeyText(newScope());
    await backlog.collections.scopes.insertOne({ _id: scope, pruneAtMs: clock.now() });

    await startPruning();

    await waitFor('the inventory is pruned too', async () => {
      return (await backlog.collections.scopes.countDocuments({})) === 0;
    });
    const left = await backlog.collections.chunks.find({}).toArray();
    expect(left.map(({ scanId }) => scanId)).toEqual([corrupt]);
  });

  it('reaches every inventory after those that are being assembled or cannot be pruned, each once', async () => {
    const scopes = Array.from({ length: 180 }, newScope).map(inventoryKeyText);
    const [faulty, leased, free] = [scopes.slice(0, 60), scopes.slice(60, 120), scopes.slice(120)];
    const [until, expired] = [new Date(8e12), new Date(0)];
    const undecided = systemIdentifiers.uuidV7();
    await backlog.collections.scans.insertOne({
      _id: undecided,
      state: 'received',
      refreshId: null,
      receivedAtMs: clock.now(),
      trace: {},
    });
    const result = { result: 'rejected', reason: 'invalid_pages' } as const;
    const lastResult = { scanId: undecided, refreshId: null, result, settled: false };
    await backlog.collections.scopes.insertMany(
      scopes.map((_id, at) => ({
        _id,
        // The faulty ones are due longest, then the leased ones.
        pruneAtMs: clock.now() - scopes.length + at,
        ...(faulty.includes(_id) ? { lastResult, lease: { owner: 'lost', until: expired } } : {}),
        ...(leased.includes(_id) ? { lease: { owner: 'assembling', until } } : {}),
      })),
    );

    await startPruning();

    const ofScopes = (_id: readonly string[]) => ({ _id: { $in: [..._id] } });
    await waitFor('nothing is left of the free inventories', async () => {
      return (await backlog.collections.scopes.countDocuments(ofScopes(free))) === 0;
    });
    const visited = await backlog.collections.scopes.find(ofScopes(faulty)).toArray();
    expect(visited.map(({ lease }) => lease)).toEqual(faulty.map(() => undefined));
    const untouched = await backlog.collections.scopes.find(ofScopes(leased)).toArray();
    expect(untouched.map(({ lease }) => lease?.owner)).toEqual(leased.map(() => 'assembling'));
  });
});

describe('Erasing an inventory (Operating surface) [operator-api]', () => {
  /** Another worker holds the inventory, and never returns. */
  const leaseToOther = (scope: InventoryKey) =>
    store.collections.scopes.updateOne(
      { _id: inventoryKeyText(scope) },
      { $set: { lease: { owner: 'assembling', until: new Date(8e12) } } },
    );

  it('leaves nothing to read: 404 for Current, 410 for chains, and later scans work again', async () => {
    const scope = newScope();
    const first = await replica.save({ scope, pages: [page], completedAtMs: clock.now() });
    await replica.save({ scope, pages: [plainPage(0, 4)], completedAtMs: clock.now() + 1 });
    const other = newScope();
    await replica.save({ scope: other, pages: [page], completedAtMs: clock.now() });

    clock.advance(1_000);
    expect(await replica.client.erase(scope)).toBe(204);
    expect(await replica.client.erase(scope)).toBe(204);

    expect((await replica.client.page(scope)).code).toBe('inventory_revision_not_found');
    expect(await replica.client.observation(scope)).toBeNull();
    expect((await replica.client.page(scope, pinTo(first))).status).toBe(410);
    expect(await countBlocks(scope, other)).toEqual({ assets: 1, texts: 1 });
    expect((await replica.client.page(other)).status).toBe(200);
    clock.advance(1);
    const again = await replica.save({ scope, pages: [page], completedAtMs: clock.now() });
    expect(again.changed).toBe(true);
    expect((await replica.client.page(scope)).assets).toEqual(page.assets);
  });

  it.each(['before', 'after'])(
    'is not undone by a scan that began before it, whose manifest is received %s it: it is rejected at once',
    async (when) => {
      const scope = newScope();
      await replica.save({ scope, pages: [page], completedAtMs: clock.now() });
      const scan = newScan({ scope, pages: [page], completedAtMs: clock.now() + dayMs });
      const inventory_epoch = await replica.client.epoch(scope);
      if (when === 'after') await replica.client.stage(scan);
      else {
        // Else it may be saved before the erasure, which then deletes it.
        await leaseToOther(scope);
        await store.complete(scan);
        await waitFor('the manifest is recorded', () =>
          store.collections.scans.findOne({ _id: scan.scanId }),
        );
      }

      await replica.client.erase(scope);

      const [chunk = Buffer.alloc(0)] = scan.pages[0] ?? [];
      const late = await replica.client.putChunk(chunkPathOf(scan, 0, 0), chunk, undefined, {
        inventory_epoch,
      });
      expect(late).toEqual({ status: 409, code: 'inventory_erased' });
      if (when === 'after') await store.complete(scan);
      const { body } = await waitFor('it is decided', () => {
        // Where it met pruning, it is tried again later.
        clock.advance(300);
        return store.outcomesOf(scan)[0];
      });
      expect(body).toMatchObject({ reason: 'missing_pages' });
      expect((await replica.client.page(scope)).status).toBe(404);
      // What the assembly wrote while it was erased is deleted by pruning.
      clock.advance(dayMs);
      await untilBlocks(0, 0, scope);
    },
  );

  it('does not wait for an assembly: it seizes the lease, and the assembly is repeated', async () => {
    const scope = newScope();
    await replica.save({ scope, pages: [page], completedAtMs: clock.now() });
    await leaseToOther(scope);
    clock.advance(1);

    expect(await replica.client.erase(scope)).toBe(204);

    // Pruning takes it too, for a moment.
    await waitFor('the lease is released', async () => {
      const found = await store.collections.scopes.findOne({ _id: inventoryKeyText(scope) });
      return found !== null && found.lease === undefined;
    });
    expect((await replica.client.page(scope)).status).toBe(404);
  });
});
