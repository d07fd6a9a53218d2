import type { RevisionId } from '@inventory/contracts/ids';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { ChangesRead } from '../src/changes/read-changes-page.ts';
import type { Scanning } from '../src/scans/open-scanning.ts';
import { heavyPage } from './support/heavy-pages.ts';
import { type GivenChanges, given, nextOf, openHistory } from './support/history.ts';
import { asset, description, type ScanPage } from './support/scan-builder.ts';
import { openStoreUnderTest, type StoreUnderTest } from './support/store-under-test.ts';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStoreUnderTest();
});
afterAll(() => store.close());

const dayMs = 86_400_000;
const clock = createTestClock(Date.now());

/** A page of these assets, whose descriptions are of a language. */
const pageOf = (ids: readonly (number | string)[], word = 'Blade'): ScanPage => ({
  assets: ids.map((id) => asset(String(id), { classid: String(500 + (Number(id) % 3)) })),
  descriptions: [500, 501, 502].map((id) => description(String(id), '0', { name: word })),
});
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

function opened(page: ChangesRead) {
  if (page.result !== 'page') throw new Error(`no page: ${page.result}`);
  return { ...given(page), counts: page.counts, to: page.to.revision.revisionId, page };
}

describe('A change set (Beyond the interface: Changes) [changes-are-saved-with-their-revision]', () => {
  const steps = [
    'writeBlock',
    'writeAssets',
    'beginCommit',
    'keepSuperseded',
    'moveHead',
    'decideScan',
  ] as const;

  /** The same stores; the worker crashes right after one of their writes. */
  function crashingAfter(step: (typeof steps)[number], deps: Scanning): Scanning {
    const crash = <Of extends object>(of: Of): Of =>
      new Proxy(of, {
        get(target, name) {
          const write = target[name as keyof Of];
          if (name !== step || typeof write !== 'function') return write;
          return async (...args: unknown[]) => {
            await write(...args);
            throw new Error('crashed');
          };
        },
      });
    const { scans, scopes, observations, blocks, changes } = deps;
    return {
      ...deps,
      scans: crash(scans),
      scopes: crash(scopes),
      observations: crash(observations),
      blocks: crash(blocks),
      changes: crash(changes),
    };
  }

  it.each([
    ...steps.map((step) => [step, 'refresh'] as const),
    ['writeBlock', 'capture'] as const,
    ['moveHead', 'capture'] as const,
  ])(
    'is there with its revision or not at all when a worker crashes after %s of a %s, and whole after another try',
    async (step, source) => {
      const history = openHistory(store, clock);
      const { revisionId: since } = await history.save({ pages: [pageOf([1, 2, 3])] });
      clock.advance(10_000);
      const scan = await history.stage({ pages: [pageOf([2, 3, 4])], source });

      await expect(history.assemble(scan, crashingAfter(step, history.deps))).rejects.toThrow(
        'crashed',
      );
      const between = opened(await history.page(history.first(since)));
      await history.assemble(scan);
      await history.assemble(scan);

      const hasMoved = step === 'moveHead' || step === 'decideScan';
      expect(between.counts).toEqual(
        hasMoved ? { added: 1, removed: 1, changed: 0 } : { added: 0, removed: 0, changed: 0 },
      );
      const { added, removed, changed, counts } = opened(await history.page(history.first(since)));
      expect(counts).toEqual({ added: 1, removed: 1, changed: 0 });
      expect(added).toEqual(pageOf([4]).assets);
      expect(removed).toEqual(pageOf([1]).assets);
      expect(changed).toEqual([]);
    },
  );

  it('goes with the inventory that is erased', async () => {
    const history = openHistory(store, clock);
    for (const count of upTo(3)) await history.save({ pages: [pageOf(upTo(count))] });
    const { changeSets, changeBlocks } = store.collections;
    const ofIt = { scope: inventoryKeyText(history.scope) };
    expect(await changeBlocks.countDocuments(ofIt)).toBe(2);

    await history.erase();

    expect(await changeSets.countDocuments(ofIt)).toBe(0);
    expect(await changeBlocks.countDocuments(ofIt)).toBe(0);
  });

  it('of a revision that never became the head leads to the head', async () => {
    const history = openHistory(store, clock);
    await history.save({ pages: [pageOf([1])], sequence: 4 });
    const late = await history.save({ pages: [pageOf([2])], sequence: 3 });
    const next = await history.save({ pages: [pageOf([1, 3])], sequence: 5 });

    const page = opened(await history.page(history.first(late.revisionId)));

    expect(page.to).toBe(next.revisionId);
    expect(page.added).toEqual(pageOf([1, 3]).assets);
    expect(page.removed).toEqual(pageOf([2]).assets);
    expect([late.previousRevisionId, next.previousRevisionId === null]).toEqual([null, false]);
  });
});

describe('Changes over many revisions (Everything is bounded) [a-chain-of-changes-is-few-sets]', () => {
  it('are read from few sets, and are the same from every revision to the newest', async () => {
    const history = openHistory(store, clock);
    const revisions: RevisionId[] = [];
    for (const count of upTo(19)) {
      const ids = [...upTo(count), 1_000 + count];
      revisions.push((await history.save({ pages: [pageOf(ids)] })).revisionId);
    }
    const { changeSets } = store.collections;
    const ofIt = { scope: inventoryKeyText(history.scope) };
    const merged = await changeSets.find(ofIt).toArray();
    const lengths = merged.map(({ fromOrdinal, toOrdinal }) => toOrdinal - (fromOrdinal ?? 0));
    expect(lengths.filter((length) => length === 8)).toHaveLength(2);

    for (const [at, since] of revisions.entries()) {
      const page = opened(await history.page(history.first(since)));
      const steps = 18 - at;
      const moved = steps === 0 ? 0 : 1;
      expect(page.counts).toEqual({ added: steps + moved, removed: moved, changed: 0 });
      expect(page.descriptions.length).toBe(Math.min(3, steps + moved));
    }
  });
});

describe('Rows of changes (Refresh: unchanged; Changes) [changes-are-a-function-of-two-revisions] [unchanged]', () => {
  /** The same assets, worn so much. */
  const worn = (ids: readonly number[], wear: string): ScanPage => {
    const { assets, descriptions } = pageOf(ids);
    return {
      assets: assets.map((row) => ({ ...row, asset_properties: [{ float_value: wear }] })),
      descriptions,
    };
  };
  const rowsOf = ({ added, removed, changed }: GivenChanges) =>
    [...added, ...removed, ...changed.map(({ asset: row }) => row)].map((row) => [
      row.assetid,
      row['asset_properties'],
    ]);
  const as = (ids: readonly number[], wear: string) =>
    ids.map((id) => [String(id), [{ float_value: wear }]]);

  it('are those that the observation saw, whichever step added them, and removed ones as last saved', async () => {
    const history = openHistory(store, clock);
    const { revisionId: since } = await history.save({ pages: [worn([1], '0.1')] });
    const second = await history.save({ pages: [worn([1, 2], '0.2')] });
    const since1 = async () => rowsOf(opened(await history.page(history.first(since))));
    expect(await since1()).toEqual(as([2], '0.2'));

    // Unchanged, with other rows under a fresh `verified_at`.
    await history.save({ pages: [worn([1, 2], '0.3')] });
    expect(await since1()).toEqual(as([2], '0.3'));
    await history.save({ pages: [worn([1, 2, 3], '0.4')] });
    expect(await since1()).toEqual(as([2, 3], '0.4'));
    await history.save({ pages: [worn([2, 3], '0.5')] });

    expect(await since1()).toEqual([...as([2, 3], '0.5'), ...as([1], '0.4')]);
    const since2 = opened(await history.page(history.first(second.revisionId)));
    expect(rowsOf(since2)).toEqual([...as([3], '0.5'), ...as([1], '0.4')]);
  });
});

describe('Descriptions of changes (Reads: descriptions, another language) [descriptions]', () => {
  it('are those of the later revision as Current gives them, in any language it has', async () => {
    const history = openHistory(store, clock);
    const { revisionId: since } = await history.save({ pages: [pageOf([1])] });
    await history.save({ pages: [pageOf([1, 2])] });
    await history.save({ pages: [pageOf([1, 2, 3])] });
    await history.save({ pages: [pageOf([1, 2, 3], 'Klinge')], language: 'german' });
    const namesIn = async (language: 'english' | 'german' | 'french') => {
      const page = opened(await history.page({ ...history.first(since), language }));
      const names = new Set(page.descriptions.map((row) => row['name']));
      return [page.page.language, page.descriptions.length, ...names];
    };

    expect(await namesIn('english')).toEqual(['english', 2, 'Blade']);
    expect(await namesIn('german')).toEqual(['german', 2, 'Klinge']);
    expect(await namesIn('french')).toEqual(['german', 2, 'Klinge']);
  });
});

describe('A revision that no change leads from (Beyond the interface: 410 revision_expired) [revision-expired] [changes-stay-30-days-longer]', () => {
  it('has expired 31 days after the next one was superseded, and its pages that began in time go on', async () => {
    const history = openHistory(store, clock);
    const first = await history.save({ pages: [pageOf([1])] });
    await history.save({ pages: [pageOf([2])] });
    await history.save({ pages: [pageOf([3])] });

    clock.advance(31 * dayMs - 1);
    await history.prune();
    const request = history.first(first.revisionId, 1);
    const begun = opened(await history.page(request));
    clock.advance(1);
    const newest = begun.to;

    expect(await history.page(request)).toEqual({ result: 'revision_expired', newest });
    clock.advance(dayMs - 2);
    await history.prune();
    const last = opened(await history.page(nextOf(request, begun.page)));
    expect([...begun.removed, ...last.added]).toEqual(pageOf([1, 3]).assets);
    clock.advance(900_000);
    await history.prune();
    expect(await history.page(request)).toEqual({ result: 'revision_expired', newest });
    expect((await history.page(nextOf(request, begun.page))).result).toBe('cursor_expired');
  });

  it('is unknown where it never was one of this inventory', async () => {
    const history = openHistory(store, clock);
    await history.save({ pages: [pageOf([1])] });
    const other = openHistory(store, clock);
    const { revisionId } = await other.save({ pages: [pageOf([1])] });

    const strangers: RevisionId[] = [
      revisionId,
      `invrev_${systemIdentifiers.uuidV7()}`,
      'invrev_00000000-0000-7000-8000-000000000000',
    ];
    for (const since of strangers) {
      expect((await history.page(history.first(since))).result).toBe('unknown_revision');
    }
    const nothing = openHistory(store, clock);
    expect(await nothing.page(nothing.first(revisionId))).toEqual({ result: 'no_revision' });
  });
});

describe('The size of change sets (Everything is bounded) [changes-are-saved-with-their-revision]', () => {
  it('is at most 2 % of the bytes of an inventory of which 1 % changed', async () => {
    const history = openHistory(store, clock, 2_000);
    const pages = [heavyPage(0), heavyPage(1), heavyPage(2)];
    await history.save({ pages });
    const { assetBlocks, textBlocks, changeBlocks } = store.collections;
    const ofIt = { scope: inventoryKeyText(history.scope) };
    const bytesIn = async (collection: { find: typeof assetBlocks.find }) => {
      const documents = await collection.find(ofIt).toArray();
      return documents.reduce((sum, document) => sum + bytesOf(document), 0);
    };
    const before = await bytesIn(textBlocks as never);
    const whole = before + (await bytesIn(assetBlocks));

    // 20 of each page: a third each is removed, is added, is a stack that grew.
    const changed = pages.map(({ assets, descriptions }, page) => ({
      descriptions,
      assets: assets
        .flatMap((row, at) =>
          at % 300 === 7 ? [] : at % 300 === 8 ? { ...row, amount: '2' } : row,
        )
        .concat(
          upTo(7).map((at) =>
            asset(String(50_000_000_000 + page * 100 + at), {
              classid: String(page * 1_000 + at * 5),
              instanceid: '0',
            }),
          ),
        ),
    }));
    await history.save({ pages: changed });

    const texts = (await bytesIn(textBlocks as never)) - 2 * before;
    expect((await bytesIn(changeBlocks as never)) + texts).toBeLessThanOrEqual(0.02 * whole);
  });
});

/** Bytes of a document's binary fields. */
function bytesOf(document: object): number {
  return Object.values(document).reduce(
    (sum, value) =>
      sum + (value && typeof value === 'object' && 'buffer' in value ? value.length() : 0),
    0,
  );
}
