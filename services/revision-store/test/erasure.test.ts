import { randomBytes } from 'node:crypto';
import { uuidV7From } from '@inventory/runtime/identifiers';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { createObservationStore } from '../src/storage/observation-store.ts';
import { openHistory } from './support/history.ts';
import { newScan, plainPage, type Scan } from './support/scan-builder.ts';
import { openStoreUnderTest, type StoreUnderTest } from './support/store-under-test.ts';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStoreUnderTest();
});
afterAll(() => store.close());

const dayMs = 86_400_000;
const clock = createTestClock(Date.now());
/** Of machines whose clocks are a day ahead. */
const fast = {
  clock: { now: () => clock.now() + dayMs },
  identifiers: { uuidV7: () => uuidV7From(clock.now() + dayMs, randomBytes(10)) },
};

/** The documents of any collection that name the inventory, or are of one of its sets. */
async function documentsOf({ platform_id }: Scan['scope']): Promise<string[]> {
  const collections = await store.db.listCollections().toArray();
  const found = await Promise.all(
    collections.map(async ({ name }) => {
      const documents = await store.db.collection(name).find({}).toArray();
      return documents.flatMap((one) => (JSON.stringify(one).includes(platform_id) ? [name] : []));
    }),
  );
  return found.flat();
}

/** Forgets that it was erased, as after a day by the clock of the store. */
const forget = ({ platform_id, app_id, context_id }: Scan['scope']) =>
  store.collections.scopes.updateOne(
    { _id: `${platform_id}/${app_id}/${context_id}` },
    { $set: { erasedAt: new Date(0), pruneAtMs: 0 } },
  );

describe('An erasure (Operating surface: erase) [erase]', () => {
  it.each([
    ['ahead', { clock: { now: () => clock.now() + dayMs } }],
    ['behind', { clock: { now: () => clock.now() - dayMs } }],
  ])(
    'by a machine whose clock is a day %s leaves nothing of what was read before it, staged, forgotten, captured, received or saved',
    async (_skew, by) => {
      const history = openHistory(store, clock);
      const { scope, deps } = history;
      const skewed = { ...deps, ...fast };
      await history.save({ pages: [plainPage(0, 1)] });
      const changed = await history.stage({ pages: [plainPage(0, 2)] });
      await history.assemble(changed, skewed);
      // Each has read a page by now; windows are of whatever clock.
      const before = await history.begin();
      const window = { startedAtMs: clock.now() + dayMs, completedAtMs: clock.now() + 2 * dayMs };
      const pages = [plainPage(0, 3), plainPage(3, 5)];
      const scanOf = (source: Scan['source']) => newScan({ scope, pages, source, ...window });
      const [running, forgotten, unstaged] = [
        scanOf('refresh'),
        scanOf('refresh'),
        scanOf('refresh'),
      ];
      const [chain, captured] = [scanOf('capture'), scanOf('capture')];
      for (const scan of [running, forgotten, chain]) await history.put(scan, 0, before);
      for (const page of [0, 1]) await history.put(captured, page, before);
      const received = await history.stage({ pages, ...window });

      await history.erase(by);

      for (const [scan, page] of [
        [running, 1],
        [chain, 1],
        [unstaged, 0],
      ] as const) {
        await expect(history.put(scan, page, before)).rejects.toMatchObject({
          refusal: { code: 'inventory_erased' },
        });
      }
      for (const scan of [
        received,
        await history.receive(captured),
        await history.receive(running),
      ]) {
        expect(await history.decide(scan)).toMatchObject({
          result: 'decided',
          decision: { result: 'rejected', reason: 'missing_pages' },
        });
      }
      // Nothing but that it was erased.
      expect(await documentsOf(scope)).toEqual(['scopes']);
      await history.prune(fast);
      expect(await documentsOf(scope)).toEqual(['scopes']);
      await forget(scope);
      await history.prune();
      expect(await documentsOf(scope)).toEqual([]);
    },
  );

  it('deletes what a worker that lost its lease to it writes afterwards, and none of a scan that began since', async () => {
    const history = openHistory(store, clock);
    const { scope, deps } = history;
    await history.save({ pages: [plainPage(0, 1)] });
    const before = await history.begin();
    const head = await deps.scopes.readHead(before.scope);
    if (!head) throw new Error('no head');
    await history.erase();
    const next = await history.save({ pages: [plainPage(0, 2)] });
    const expected = await documentsOf(scope);

    const observations = createObservationStore(store.collections.observations, testLogger);
    await observations.keepSuperseded(before, head, clock.now());
    const position = head.revision.chain;
    // Under ids that are minted a day ahead.
    const [setId, set] = [fast.identifiers.uuidV7(), fast.identifiers.uuidV7()];
    const from = head.revision.revisionId;
    const span = { from, to: next.revisionId, fromOrdinal: 0, toOrdinal: 1, lastKey: '' };
    const step = { ...span, setId, counts: { added: 0, removed: 0, changed: 0 } };
    if (position) await deps.changes.keepSuperseded(before.scope, position, [step], clock.now());
    for (const name of ['change_blocks', 'asset_blocks', 'text_blocks']) {
      const block = { _id: `${set}/0` as never, scope: before.scope, set, index: 0 };
      await store.db.collection(name).insertOne(block);
    }
    expect(await documentsOf(scope)).toHaveLength(expected.length + 5);
    await deps.scopes.requestPrune(before.scope, 0);
    await history.prune();

    expect(await documentsOf(scope)).toEqual(expected);
    expect(await history.headId()).toBe(next.observationId);
  });
});
