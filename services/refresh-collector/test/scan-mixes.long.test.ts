import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { newAccountId } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { openCollections } from '../src/collections.ts';
import {
  type Collector,
  type CollectorHarness,
  openCollectorHarness,
} from './collector-harness.ts';
import { readLive } from './live-reader.ts';
import { farMs, identitiesOf } from './quick-config.ts';
import { type ScannedInventories, scannedInventories } from './scanned-inventories.ts';

let harness: CollectorHarness;
let inventories: ScannedInventories;

beforeAll(async () => {
  harness = await openCollectorHarness();
  inventories = scannedInventories(harness);
});
afterEach(async () => {
  await harness.control('DELETE', '/faults');
  await harness.stopCollectors();
});
afterAll(() => harness.close());

const assetsPerPage = 10;
const pagesMax = 125;
const small = {
  pages: { count: assetsPerPage, smallerCount: assetsPerPage },
  scheduling: { pagesMax },
};
const pagesPerSecond = 4;
const downApp = 440;
/** A page is read before its breaker opens: by ten inventories, five tries each. */
const downRequestsMax = 50;

interface Group {
  readonly count: number;
  readonly pages: number;
  readonly accounts: number;
  readonly appId?: number;
}

interface Mix {
  readonly name: string;
  readonly groups: readonly Group[];
  readonly identities: number;
  /** Further identities, whose connections are refused. */
  readonly dead?: number;
  /** Part of the slots that live pages request. */
  readonly liveShare?: number;
  readonly unknownSizes?: true;
  readonly completedMin: number;
}

/**
 * The mixes of `npm run bench -- turns` at a small scale: an hour and a half of waiting and
 * collecting is one minute, an identity reads four pages a second instead of three a minute. A
 * tenth of the pages that fit is left to what a real collector does beside reading.
 */
const mixes: readonly Mix[] = [
  {
    name: '16 of 26 pages on 2 identities',
    groups: [{ count: 16, pages: 26, accounts: 16 }],
    identities: 2,
    completedMin: 15,
  },
  {
    name: '2 of 104 pages on 1 identity',
    groups: [{ count: 2, pages: 104, accounts: 1 }],
    identities: 1,
    completedMin: 2,
  },
  {
    name: '64 of 9 pages of 8 accounts on 2 identities',
    groups: [{ count: 64, pages: 9, accounts: 8 }],
    identities: 2,
    completedMin: 44,
  },
  {
    name: '50 of 1 page and 2 of 50 on 2 identities',
    groups: [
      { count: 2, pages: 50, accounts: 2 },
      { count: 50, pages: 1, accounts: 10 },
    ],
    identities: 2,
    completedMin: 52,
  },
  {
    name: '32 of 5 pages on 2 identities, half of them of an application that is down',
    groups: [
      { count: 16, pages: 5, accounts: 8, appId: downApp },
      { count: 16, pages: 5, accounts: 8 },
    ],
    identities: 2,
    completedMin: 16,
  },
  {
    name: '8 of 20 pages on 4 identities, half of them dead',
    groups: [{ count: 8, pages: 20, accounts: 8 }],
    identities: 2,
    dead: 2,
    completedMin: 8,
  },
  {
    // The minute over which a plan measures live pages is not scaled: what starts in it has to fit.
    name: '8 of 26 pages and 30 % live pages on 2 identities',
    groups: [{ count: 8, pages: 26, accounts: 8 }],
    identities: 2,
    liveShare: 0.3,
    completedMin: 8,
  },
  {
    name: '16 of 26 pages, of unknown size, on 2 identities',
    groups: [{ count: 16, pages: 26, accounts: 16 }],
    identities: 2,
    unknownSizes: true,
    completedMin: 15,
  },
];

interface Requested {
  readonly scope: InventoryKey;
  readonly refresh: Awaited<ReturnType<CollectorHarness['request']>>;
}

describe('more pages than can be read at once', () => {
  it.each(mixes)(
    '$name: at least $completedMin complete, no page is read for another (Refresh: Deadlines)',
    async (mix) => {
      const scopes = mix.groups.map(({ count, pages, appId }) =>
        Array.from({ length: count }, () => inventories.next(pages * assetsPerPage, appId)),
      );
      const all = scopes.flat();
      if (!mix.unknownSizes) await learnSizes(all);
      const readBefore = await requestsOf(all);
      await harness.database.collection('identities').deleteMany({});
      await harness.control('POST', '/faults', {
        ...{ failure: { kind: 'eresult', code: 20 }, app_id: downApp },
      });

      const collector = await startCollector(mix);
      const requested = await requestAll(mix, scopes);
      const [down, up] = partition(requested, ({ scope }) => scope.app_id === downApp);
      const reading = readLivePages(collector, mix);
      const complete = await Promise.all(up.map(isComplete));
      const livePages = await reading.stop();
      for (const { refresh } of down) await harness.cancel(refresh);
      await Promise.all(down.map(isComplete));

      const readAfter = await requestsOf(all);
      const requestsFor = ({ scope }: Requested) => {
        const at = all.indexOf(scope);
        return (readAfter[at] ?? 0) - (readBefore[at] ?? 0);
      };
      expect(complete.filter(Boolean).length).toBeGreaterThanOrEqual(mix.completedMin);
      const begunInVain = up.filter((one, index) => !complete[index] && requestsFor(one) > 0);
      expect(begunInVain).toEqual([]);
      const downRequests = down.reduce((sum, one) => sum + requestsFor(one), 0);
      expect(downRequests).toBeLessThanOrEqual(downRequestsMax);
      expect(livePages.served).toBeGreaterThanOrEqual(0.9 * livePages.requested);
    },
  );
});

/** Scans each once, as fast as it goes: the sizes expected are those of the last observation. */
async function learnSizes(scopes: readonly InventoryKey[]): Promise<void> {
  const collector = await harness.startCollector(small);
  const requests = await Promise.all(scopes.map((scope) => harness.request({ scope }, 1)));
  for (const { refreshId } of requests) await harness.completed(collector, refreshId);
  await harness.stopCollectors();
}

function startCollector({ identities, dead = 0 }: Mix): Promise<Collector> {
  const refusing = Array.from({ length: dead }, (_, index) => `http://dead-${index}:-@127.0.0.1:1`);
  return harness.startCollector({
    platform: { egress: [...refusing, ...identitiesOf(harness.simulator, identities)] },
    identities: {
      requestsPerMinute: 60 * pagesPerSecond,
      burst: 1,
      unreachableFirstMs: 125,
      unreachableMaxMs: 3_750,
    },
    deadlines: { queueMs: 20_000, collectMs: 40_000, settleGraceMs: 600_000 },
    ...small,
  });
}

/** All at once, the groups in their order. */
async function requestAll(
  { groups }: Mix,
  scopes: readonly (readonly InventoryKey[])[],
): Promise<Requested[]> {
  const requested = groups.map(async ({ accounts }, group) => {
    const accountIds = Array.from({ length: accounts }, newAccountId);
    return Promise.all(
      (scopes[group] ?? []).map(async (scope, index) => {
        const account_id = accountIds[index % accounts] ?? newAccountId();
        return { scope, refresh: await harness.request({ scope, accountId: account_id }, 1) };
      }),
    );
  });
  return (await Promise.all(requested)).flat();
}

/** Requests live pages at the rate of the mix until it is stopped. */
function readLivePages(collector: Collector, { identities, liveShare = 0 }: Mix) {
  const { platform_id: platformId, app_id: appId, context_id: contextId } = inventories.next(1);
  const responses: Promise<number>[] = [];
  const request = async () => {
    const options = { timeLeftMs: farMs };
    return (await readLive(collector, { platformId, appId, contextId }, options)).status;
  };
  const timer =
    liveShare > 0
      ? setInterval(
          () => responses.push(request()),
          1_000 / (liveShare * identities * pagesPerSecond),
        )
      : undefined;
  return {
    async stop() {
      clearInterval(timer);
      const statuses = await Promise.all(responses);
      const served = statuses.filter((status) => status === 200).length;
      return { requested: statuses.length, served };
    },
  };
}

/** Once it ended, or was not admitted. */
async function isComplete({ refresh: { refreshId } }: Requested): Promise<boolean> {
  const { refreshes } = openCollections(harness.database);
  const ended = await waitFor(
    `${refreshId} ended`,
    async () => (await refreshes.findOne({ _id: refreshId, terminal: true })) ?? undefined,
  );
  return ended.outcome?.startsWith('complete') ?? false;
}

const requestsOf = (scopes: readonly InventoryKey[]) =>
  Promise.all(scopes.map(async (scope) => (await inventories.seen(scope)).requests));

function partition<Item>(items: readonly Item[], holds: (item: Item) => boolean) {
  return [items.filter(holds), items.filter((item) => !holds(item))] as const;
}
