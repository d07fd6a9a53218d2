import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openHistory } from './support/history.ts';
import { plainPage } from './support/scan-builder.ts';
import { openStoreUnderTest, type StoreUnderTest } from './support/store-under-test.ts';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStoreUnderTest();
});
afterAll(() => store.close());

const clock = createTestClock(Date.now());
const dayMs = 86_400_000;

/** A faulty write of the newest document of a collection that the inventory is read from with others. */
async function corruptNewest(collection: string, scope: string, fields: object) {
  const documents = store.db.collection(collection);
  const [newest] = await documents.find({ scope }).sort({ supersededAtMs: -1 }).toArray();
  await documents.updateOne({ _id: newest?.['_id'] as never }, { $set: fields });
}

describe('Corrupt documents of an inventory (decisions/0013)', () => {
  it('keep none of its others from being pruned, saved over or erased [erase]', async () => {
    const history = openHistory(store, clock);
    for (let count = 1; count <= 7; count += 1) {
      await history.save({ pages: [plainPage(0, count)] });
    }
    clock.advance(dayMs);
    await history.save({ pages: [plainPage(0, 8)] });
    const _id = inventoryKeyText(history.scope);
    const ofIt = { scope: _id };
    const { scans, scopes, assetBlocks, observations, changeSets } = store.collections;
    // One without a time first: the next one is then the newest.
    await corruptNewest('observations', _id, { supersededAtMs: null, observation: null });
    await corruptNewest('observations', _id, { 'observation.texts': 'none' });
    await corruptNewest('change_sets', _id, { counts: 7 });
    const head = await scopes.findOne({ _id });
    await scopes.updateOne({ _id }, { $set: { 'lastResult.settled': false } });
    const ofLast = { _id: head?.lastResult?.scanId ?? '' };
    await scans.updateOne(ofLast, { $set: { state: 'asleep' } } as never);

    await history.prune();
    const { revisionId } = (await scopes.findOne({ _id }))?.head?.revision ?? {};
    expect(await assetBlocks.distinct('set', ofIt)).toEqual([revisionId]);
    // The ninth head merges the change sets of eight steps.
    const next = await history.save({ pages: [plainPage(0, 9)] });
    expect(next).toMatchObject({ changed: true, previousRevisionId: revisionId });

    await history.erase();
    const kinds = [assetBlocks, observations, changeSets];
    const left = await Promise.all(kinds.map((one) => one.countDocuments(ofIt as never)));
    expect(left).toEqual([0, 0, 0]);
  });

  it('are erased also where one is its head [erase]', async () => {
    const history = openHistory(store, clock);
    await history.save({ pages: [plainPage(0, 3)] });
    const _id = inventoryKeyText(history.scope);
    const corrupt = { $set: { 'head.language': 7 } } as never;
    await store.collections.scopes.updateOne({ _id }, corrupt);

    await history.erase();

    expect(await store.collections.assetBlocks.countDocuments({ scope: _id })).toBe(0);
    const again = await history.save({ pages: [plainPage(0, 3)] });
    expect(again.changed).toBe(true);
  });
});
