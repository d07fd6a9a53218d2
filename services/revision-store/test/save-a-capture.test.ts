import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { newScan, plainPage, type ScanOptions } from './support/scan-builder.ts';
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

    expect(saved).toMatchObject({ refresh_id: null, scope, changed: true, observed_assets: 10 });
    expect(await current(scope)).toMatchObject({
      revision_id: saved.revision_id,
      verified_at: new Date(start + 9 * minute).toISOString(),
      scan_window: { started_at: new Date(start).toISOString() },
      total_count: 10,
      reported_total_count: 11,
    });
  });

  it('is the revision that a refresh of the same inventory finds unchanged', async () => {
    const scope = newScope();
    const saved = await save({ scope });

    // One page, because a refresh need not cut an inventory where a chain did.
    const again = await refresh({ scope, pages: [plainPage(0, 10)] });

    expect(again).toMatchObject({ changed: false, revision_id: saved.revision_id });
  });

  it('is kept, but not current, where something was observed since it began, whichever is saved first [capture]', async () => {
    const observed = { pages: [plainPage(0, 3)], completedAtMs: start + 1 };
    for (const isCaptureFirst of [false, true]) {
      const scope = newScope();
      const early = isCaptureFirst ? await save({ scope }) : null;
      const newer = await refresh({ scope, ...observed });

      const { revision_id, observation_id } = early ?? (await save({ scope }));

      expect(await current(scope)).toMatchObject({
        revision_id: newer.revision_id,
        total_count: 3,
      });
      const pinned = await replicas[0].client.page(scope, { revision_id, observation_id });
      expect(pinned.meta.total_count).toBe(10);
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
    expect(await store.collections.assetBlocks.countDocuments({ set: saved.revision_id })).toBe(1);
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

    expect(await store.committed(scan)).toMatchObject({ observed_assets: 10 });
  });

  it('of an empty inventory is saved, with the count of what cannot be seen', async () => {
    const scope = newScope();

    await save({ scope, pages: [plainPage(0, 0)], reportedTotalCount: 5 });

    expect(await current(scope)).toMatchObject({ total_count: 0, reported_total_count: 5 });
  });
});
