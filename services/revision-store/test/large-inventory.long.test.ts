import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { heavyPage } from './support/heavy-pages.ts';
import { completedMessage, newScan, type Scan } from './support/scan-builder.ts';
import { createStoreClient } from './support/store-client.ts';
import { buildStore, type StoreProcess, startStoreProcess } from './support/store-process.ts';
import { openStoreUnderTest, type StoreUnderTest } from './support/store-under-test.ts';

const pagesMax = 125;
const rssMax = 512 * 1024 * 1024;

let store: StoreUnderTest;
const processes: StoreProcess[] = [];

beforeAll(async () => {
  buildStore();
  store = await openStoreUnderTest();
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.kill()));
  await store.close();
});

async function startProcess(): Promise<StoreProcess> {
  const started = await startStoreProcess(store, {
    ASSEMBLY_LEASE_MS: '2000',
    PRUNE_EVERY_MS: '500',
  });
  processes.push(started);
  return started;
}

/** Stages page by page, so that the test itself does not hold them all; the manifest remembers. */
async function stageHeavyScan(url: string): Promise<Parameters<typeof publish>[0]> {
  const client = createStoreClient(url);
  const scope = newScope();
  const base = newScan({ scope, pages: [], reportedTotalCount: 250_000 });
  const manifest = completedMessage(base);
  for (let page = 0; page < pagesMax; page += 1) {
    const pages = Array.from({ length: page }, () => []);
    const [chunks = []] = newScan({ scope, pages: [heavyPage(page)] }).pages;
    const one: Scan = { ...base, pages: [...pages, chunks] };
    await client.stage(one);
    const named = completedMessage(one).pages[page];
    if (named) manifest.pages.push(named);
  }
  return { scan: base, manifest };
}

function publish({ manifest }: { scan: Scan; manifest: ReturnType<typeof completedMessage> }) {
  return store.bus.publish([
    { type: 'revision.completed.v1', id: manifest.scanId, body: manifest },
  ]);
}

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('An inventory of 250,000 assets', () => {
  onLinux(
    'is saved within 512 MB by another process after the first was killed in the middle',
    async () => {
      const first = await startProcess();
      const staged = await stageHeavyScan(first.url);
      await publish(staged);
      await waitFor(
        'half of the blocks are written',
        async () => (await store.collections.assetBlocks.countDocuments()) > pagesMax / 2,
      );
      await first.kill();
      expect(store.outcomesOf(staged.scan)).toEqual([]);

      const second = await startProcess();
      const saved = await waitFor(
        'the scan is saved',
        () => store.outcomesOf(staged.scan)[0]?.body,
      );

      expect(saved).toMatchObject({ changed: true, observedAssets: 250_000 });
      const peakRss = second.peakRss();
      expect(peakRss).toBeLessThan(rssMax);
      const client = createStoreClient(second.url);
      const { scope } = staged.scan;
      for (const page of [0, 60, 124]) {
        const given = await client.page(scope, { position: page * 2_000 });
        expect(given.meta.totalCount).toBe(250_000);
        expect(given.assets).toEqual(heavyPage(page).assets);
        expect(given.descriptions).toHaveLength(1_000);
      }
      await waitFor(
        'the blocks of the killed try are pruned',
        async () => (await store.collections.assetBlocks.countDocuments()) === pagesMax,
      );
    },
  );
});
