import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { newAccountId } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { openCollections } from '../src/collections.ts';
import { type CollectorHarness, openCollectorHarness } from './collector-harness.ts';
import { identitiesOf } from './quick-config.ts';
import { type ScannedInventories, scannedInventories } from './scanned-inventories.ts';

let harness: CollectorHarness;
let inventories: ScannedInventories;

beforeAll(async () => {
  harness = await openCollectorHarness();
  inventories = scannedInventories(harness);
});
afterEach(() => harness.stopCollectors());
afterAll(() => harness.close());

const assetsPerPage = 10;
const scan = { count: assetsPerPage, smallerCount: assetsPerPage };

/**
 * The mixes of `npm run bench -- turns` at a small scale: an hour and a half of waiting and
 * collecting is one minute, an identity reads four pages a second instead of three a minute. A
 * tenth of the pages that fit is left to what a real collector does beside reading.
 */
const mixes = [
  { refreshes: 16, pages: 26, accounts: 16, identities: 2, completedMin: 15 },
  { refreshes: 2, pages: 104, accounts: 1, identities: 1, completedMin: 2 },
  { refreshes: 64, pages: 9, accounts: 8, identities: 2, completedMin: 44 },
];

describe('more pages than can be read at once', () => {
  it.each(mixes)(
    '$refreshes refreshes of $pages pages on $identities identities: at least $completedMin complete, no page is read for another (Refresh: Deadlines)',
    async ({ refreshes, pages, accounts, identities, completedMin }) => {
      const scopes = Array.from({ length: refreshes }, () =>
        inventories.next(pages * assetsPerPage),
      );
      await learnSizes(scopes);
      const requestsBefore = await requestsOf(scopes);
      await harness.database.collection('identities').deleteMany({});
      const accountIds = Array.from({ length: accounts }, newAccountId);

      await harness.startCollector({
        platform: { egress: identitiesOf(harness.simulator, identities) },
        identities: { requestsPerMinute: 240, burst: 1 },
        deadlines: { queueMs: 20_000, collectMs: 40_000 },
        scan,
      });
      const requests = await Promise.all(
        scopes.map((scope, index) =>
          harness.request({ scope, account_id: accountIds[index % accounts] ?? newAccountId() }, 1),
        ),
      );
      const complete = await Promise.all(requests.map(isComplete));

      expect(complete.filter(Boolean).length).toBeGreaterThanOrEqual(completedMin);
      const requestsAfter = await requestsOf(scopes);
      const begunInVain = scopes.filter(
        (_, index) => !complete[index] && requestsAfter[index] !== requestsBefore[index],
      );
      expect(begunInVain).toEqual([]);
    },
  );
});

/** Scans each once, as fast as it goes: the sizes expected are those of the last observation. */
async function learnSizes(scopes: readonly InventoryKey[]): Promise<void> {
  const collector = await harness.startCollector({ scan });
  const requests = await Promise.all(scopes.map((scope) => harness.request({ scope }, 1)));
  for (const { refresh_id } of requests) await harness.completed(collector, refresh_id);
  await harness.stopCollectors();
}

/** Once it ended, or was not admitted. */
async function isComplete({ refresh_id }: { refresh_id: string }): Promise<boolean> {
  const { refreshes } = openCollections(harness.database);
  const ended = await waitFor(
    `${refresh_id} ended`,
    async () => (await refreshes.findOne({ _id: refresh_id, terminal: true })) ?? undefined,
  );
  return ended.outcome?.startsWith('complete') ?? false;
}

const requestsOf = (scopes: readonly InventoryKey[]) =>
  Promise.all(scopes.map(async (scope) => (await inventories.seen(scope)).requests));
