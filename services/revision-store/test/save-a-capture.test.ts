import { newScope } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { openHistory } from './support/history.ts';
import { newScan, plainPage, type ScanOptions } from './support/scan-builder.ts';
import { pinTo } from './support/store-client.ts';
import {
  openStoreUnderTest,
  type Replica,
  type StoreUnderTest,
} from './support/store-under-test.ts';

let store: StoreUnderTest;
let replicas: readonly [Replica, Replica];

beforeAll(async () => {
  store = await openStoreUnderTest();
  replicas = [await store.start(), await store.start()];
});
afterAll(() => store.close());

const minute = 60_000;
const start = Date.now() - 60 * minute;
const pages = [plainPage(0, 5), plainPage(5, 9), plainPage(9, 10)];

/** A chain of Live Pages that began at `start` and took nine minutes. */
const capture = (options: Partial<ScanOptions> = {}) =>
  newScan({
    scope: newScope(),
    pages,
    source: 'capture',
    startedAtMs: start,
    completedAtMs: start + 9 * minute,
    ...options,
  });

async function save(options: Partial<ScanOptions> = {}) {
  const scan = capture(options);
  await replicas[0].client.stage(scan);
  await store.complete(scan);
  return store.committed(scan);
}

const refresh = (options: ScanOptions) => replicas[1].save(options);
const current = async (scope: ScanOptions['scope']) => (await replicas[1].client.page(scope)).meta;

describe('A captured chain (Reads: Capture)', () => {
  it('becomes what Current reads, its window beginning with the chain', async () => {
    const scope = newScope();

    const saved = await save({ scope, reportedTotalCount: 11 });

    expect(saved).toMatchObject({ refreshId: null, scope, changed: true, observedAssets: 10 });
    expect(await current(scope)).toMatchObject({
      revisionId: saved.revisionId,
      verifiedAtMs: start + 9 * minute,
      scanWindow: { startedAtMs: start },
      totalCount: 10,
      reportedTotalCount: 11,
    });
  });

  it('is told from a refresh by the summary, which has the counts of the latest observation and no rows (Free reads) [free-look]', async () => {
    const scope = newScope();
    const client = replicas[1].client;
    expect(await client.summary(scope)).toBeNull();

    const saved = await save({ scope, reportedTotalCount: 11 });

    const page = await client.page(scope);
    const counts = { totalCount: 10, descriptionCount: page.descriptions.length };
    expect(await client.summary(scope)).toEqual({
      revisionId: saved.revisionId,
      observationId: saved.observationId,
      verifiedAtMs: start + 9 * minute,
      scanWindow: page.meta.scanWindow,
      observedBy: 'capture',
      language: 'english',
      hiddenCount: 1,
      ...counts,
    });
    const again = await refresh({ scope, pages: [plainPage(0, 10)] });
    expect(await client.summary(scope)).toMatchObject({
      observationId: again.observationId,
      observedBy: 'refresh',
      hiddenCount: 0,
      ...counts,
    });
    await client.erase(scope);
    expect(await client.summary(scope)).toBeNull();
  });

  it('is the revision that a refresh of the same inventory finds unchanged', async () => {
    const scope = newScope();
    const saved = await save({ scope });

    // One page, because a refresh need not cut an inventory where a chain did.
    const again = await refresh({ scope, pages: [plainPage(0, 10)] });

    expect(again).toMatchObject({ changed: false, revisionId: saved.revisionId });
  });

  it('is kept, but not current, where something was observed since it began, whichever is saved first [capture]', async () => {
    const observed = { pages: [plainPage(0, 3)], completedAtMs: start + 1 };
    for (const isCaptureFirst of [false, true]) {
      const scope = newScope();
      const early = isCaptureFirst ? await save({ scope }) : null;
      const newer = await refresh({ scope, ...observed });

      const older = early ?? (await save({ scope }));

      expect(await current(scope)).toMatchObject({
        revisionId: newer.revisionId,
        totalCount: 3,
      });
      const pinned = await replicas[0].client.page(scope, pinTo(older));
      expect(pinned.meta.totalCount).toBe(10);
    }
  });

  it('is saved once under duplicate pages and commands, through two replicas', async () => {
    const scan = capture();
    await Promise.all(replicas.map(({ client }) => client.stage(scan)));

    await Promise.all([store.complete(scan), store.complete(scan)]);
    const saved = await store.committed(scan);
    await store.complete(scan);

    await waitFor('the outcome is published again', () => store.outcomesOf(scan).length >= 2);
    expect(new Set(store.outcomesOf(scan).map(({ body }) => JSON.stringify(body)))).toEqual(
      new Set([JSON.stringify(saved)]),
    );
    expect(await store.collections.assetBlocks.countDocuments({ set: saved.revisionId })).toBe(1);
  });

  it('waits for a page that arrives after its command', async () => {
    const scan = capture();
    const early = { ...scan, pages: scan.pages.slice(0, 2) };
    await replicas[0].client.stage(early);
    await store.complete(scan);
    await waitFor('the command is there', () =>
      store.collections.scans.findOne({ _id: scan.scanId }),
    );

    await replicas[1].client.stage(scan);

    expect(await store.committed(scan)).toMatchObject({ observedAssets: 10 });
  });

  it('of an empty inventory is saved, with the count of what cannot be seen', async () => {
    const scope = newScope();

    await save({ scope, pages: [plainPage(0, 0)], reportedTotalCount: 5 });

    expect(await current(scope)).toMatchObject({ totalCount: 0, reportedTotalCount: 5 });
  });
});

describe('Pages of the same bytes (Refresh: unchanged) [unchanged]', () => {
  const pages = [plainPage(0, 2), plainPage(2, 3)];

  /** An inventory, and how often its staged pages were read. */
  function openCounted() {
    const clock = createTestClock(Date.now());
    const history = openHistory(store, clock);
    const { chunks } = history.deps;
    let reads = 0;
    const counted =
      <Args extends unknown[], Found>(read: (...args: Args) => Found) =>
      (...args: Args) => {
        reads += 1;
        return read(...args);
      };
    const by = {
      ...history.deps,
      chunks: {
        ...chunks,
        readSurveys: counted(chunks.readSurveys),
        readSingleChunk: counted(chunks.readSingleChunk),
        readChunks: counted(chunks.readChunks),
      },
    };
    const save = async (scan: Parameters<typeof history.stage>[0]) => {
      // Nothing was observed since it began.
      const staged = await history.stage({ startedAtMs: clock.now() + 999, ...scan });
      const before = reads;
      const { changed, revisionId } = await history.assemble(staged, by);
      return { changed, revisionId, isRead: reads > before };
    };
    return { ...history, save };
  }

  it.each(['refresh', 'capture'] as const)(
    'of a %s are not read again where the head has all of them, and are where it has not',
    async (source) => {
      const { save, erase, headId } = openCounted();
      const first = await save({ pages });
      expect(first).toMatchObject({ changed: true, isRead: true });
      const firstId = await headId();

      expect(await save({ pages, source })).toEqual({ ...first, changed: false, isRead: false });

      expect(await headId()).not.toBe(firstId);
      const german = await save({ pages, source, language: 'german' });
      expect(german).toEqual({ ...first, changed: false, isRead: true });
      expect(await save({ pages: pages.toReversed(), source })).toMatchObject({
        changed: false,
        isRead: true,
      });
      expect(await save({ pages: [plainPage(0, 2)], source })).toMatchObject({ changed: true });
      expect(await save({ pages, source })).toMatchObject({ changed: true, isRead: true });
      await erase();
      expect(await save({ pages, source })).toMatchObject({ changed: true, isRead: true });
    },
  );

  it('that end in a repetition are judged by what the platform reports each time', async () => {
    const { save } = openCounted();
    const repeating = [plainPage(0, 2), plainPage(0, 2)];
    expect(await save({ pages: repeating, reportedTotalCount: 2 })).toMatchObject({
      changed: true,
    });

    await expect(save({ pages: repeating, reportedTotalCount: 9 })).rejects.toThrow(
      'invalid_pages',
    );
  });
});
