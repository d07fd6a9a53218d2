import { timeLeftHeader } from '@inventory/contracts/internal/live-page';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import {
  type SimulatedInventory,
  scenarioInventory,
  scenarioNames,
  sizeInventory,
} from '@inventory/platform-simulator/scenarios';
import { newAccountId } from '@inventory/testkit/builders';
import { createRunningClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { openCollections } from '../src/collections.ts';
import {
  type Collector,
  type CollectorHarness,
  openCollectorHarness,
} from './collector-harness.ts';
import { type LiveOptions, type LivePageResponse, readLive } from './live-reader.ts';

let harness: CollectorHarness;
let collector: Collector;
/** Of a collector that soon gives a page up: nothing else may meet it. */
let slowResponse: LivePageResponse;

beforeAll(async () => {
  harness = await openCollectorHarness();
  const impatient = await harness.startCollector({ platform: { timeoutMs: 50 } });
  slowResponse = await readLive(impatient, scenarioInventory('slow', 800));
  await impatient.stop();
  collector = await harness.startCollector({ live: { limits: { perKeyMax: 2, totalMax: 12 } } });
});
afterAll(() => harness.close());

const read = (inventory: SimulatedInventory, options?: LiveOptions) =>
  readLive(collector, inventory, options);

/** What the first live page of a scenario account ends as, where it is no page. */
const firstPageRefusals: Readonly<Record<string, string>> = {
  private: 'inventory_private',
  'private-401': 'inventory_private',
  'not-found': 'inventory_not_found',
  'not-found-html': 'inventory_not_found',
  'unknown-app': 'inventory_not_found',
  'eresult-42': 'inventory_not_found',
  'bad-request': 'bad_answer',
  'eresult-77': 'bad_answer',
  'eresult-55': 'bad_answer',
  'null-200': 'bad_answer',
  'html-200': 'bad_answer',
  'old-refusal': 'bad_answer',
  unsuccessful: 'bad_answer',
  'fake-redirect': 'bad_answer',
  'truncated-json': 'bad_answer',
  'gateway-503': 'bad_answer',
  'firewall-html': 'throttled',
  'deep-row': 'bad_answer',
  'assets-twice': 'bad_answer',
  'more-items-twice': 'bad_answer',
  'called-compressed': 'bad_answer',
  'compressed-unknown': 'bad_answer',
  slow: 'upstream_timeout',
  'cursor-missing': 'bad_answer',
};

/** A good page after one that came too late: `platform-client.test.ts` reads both. */
const firstPages = scenarioNames
  .filter((name) => name !== 'slow-once')
  .map((name) => [name, firstPageRefusals[name] ?? 'page'] as const);

describe('the first live page of every scenario account', () => {
  it.each(firstPages)('%s is answered with %s (Live Page)', async (name, expected) => {
    const response = name === 'slow' ? slowResponse : await read(scenarioInventory(name, 800));

    expect(response.code ?? 'page').toBe(expected);
  });
});

describe('a last page without assets after another page', () => {
  const secondOf = async (name: string, serial: number, before?: string) => {
    const inventory = scenarioInventory(name, serial);
    const { meta } = await read(inventory);
    const start = meta?.nextStartAssetid ?? null;
    const second = await read(inventory, { start, ...(before === undefined ? {} : { before }) });
    return { inventory, start, second };
  };

  it('is checked: the page before, read again, is the answer where it ends elsewhere (upstream 1.3)', async () => {
    const unchecked = await secondOf('cursor-removed-blank-end', 830);
    const { second, start } = await secondOf('cursor-removed-blank-end', 831, '');

    expect(unchecked.second.meta).toMatchObject({ assetCount: 0, nextStartAssetid: null });
    expect(unchecked.second.meta?.endCheck).toBeNull();
    expect(second.meta).toMatchObject({ assetCount: 2_000, endCheck: 'moved' });
    expect(second.meta?.nextStartAssetid).not.toBe(start);
    expect(second.page.assets).toHaveLength(2_000);
  });

  it('is the end where the page before ends as it did: what is left is hidden (upstream 1.3)', async () => {
    const { inventory, start, second } = await secondOf('hidden-end', 830, '');
    const last = await read(inventory, {
      start: second.meta?.nextStartAssetid ?? null,
      before: start ?? '',
    });

    expect(second.meta?.endCheck).toBeNull();
    expect(last.meta).toMatchObject({ assetCount: 0, endCheck: 'confirmed' });
    expect(last.page.assets).toEqual([]);
  });

  it('is neither confirmed nor moved when the page before cannot be read again', async () => {
    const inventory = scenarioInventory('cursor-removed-blank-end', 832);
    const { meta } = await read(inventory);
    const heal = await harness.failPages({ platform_id: inventory.platformId, page: 1 });

    const last = await read(inventory, { start: meta?.nextStartAssetid ?? null, before: '' });
    await heal();

    expect(last.status).toBe(200);
    expect(last.meta).toMatchObject({ assetCount: 0, nextStartAssetid: null });
    expect(last.meta?.endCheck).toBeNull();
  });
});

describe('a chain of live pages', () => {
  it('gives 4,001 assets once each, in the order of the platform, and then ends', async () => {
    const inventory = sizeInventory(4_001, 801);
    const ids: string[] = [];
    let start: string | null = null;
    do {
      const response: LivePageResponse = await read(inventory, { start });
      expect(response.meta?.totalCount).toBe(4_001);
      expect(response.meta?.assetCount).toBe(response.page.assets.length);
      ids.push(...response.page.assets.map(({ assetid }: { assetid: string }) => assetid));
      start = response.meta?.nextStartAssetid ?? null;
    } while (start !== null);

    expect(ids).toHaveLength(4_001);
    expect(new Set(ids).size).toBe(4_001);
  });

  it('ends as private in the middle only when the first page is private too', async () => {
    const inventory = scenarioInventory('becomes-private-at-page-2', 802);
    const first = await read(inventory);
    const start = first.meta?.nextStartAssetid ?? null;
    expect((await read(inventory, { start })).code).toBe('inventory_private');

    const other = scenarioInventory('private-at-page-2-only', 802);
    const public1 = await read(other);
    const denied = await read(other, { start: public1.meta?.nextStartAssetid ?? null });
    expect(denied.code).toBe('unconfirmed');
  });
});

it('leaves the properties of assets out of the V1 form, and only those', async () => {
  const inventory = sizeInventory(50, 803);
  const [current, first] = [await read(inventory), await read(inventory, { form: 'v1' })];

  const has = (page: { assets: Record<string, unknown>[] }) =>
    page.assets.filter((asset) => 'asset_properties' in asset).length;
  expect(has(current.page)).toBeGreaterThan(0);
  expect(has(first.page)).toBe(0);
  const without = current.page.assets.map(
    ({ asset_properties: _left, ...asset }: Record<string, unknown>) => asset,
  );
  expect(first.page.assets).toEqual(without);
  expect(first.page.descriptions).toEqual(current.page.descriptions);
});

it.each([
  ['more-rows-than-asked', [2_000, 2_000, 1_001]],
  ['all-rows-at-once', [2_000, 2_000, 1_001]],
])(
  '%s: a page has 2,000 assets at most, the others are after its cursor (Reads: more rows than asked) [more-rows-than-asked]',
  async (name, lengths) => {
    const inventory = scenarioInventory(name, 801);
    for (const form of ['v2', 'v1'] as const) {
      const ids: string[] = [];
      const counts: number[] = [];
      for (let start: string | null = null; ; ) {
        const { page, meta } = await read(inventory, { start, form });
        const key = (row: { classid: string; instanceid: string }) =>
          `${row.classid} ${row.instanceid}`;
        const needed = new Set(page.assets.map(key));
        expect(new Set(page.descriptions.map(key))).toEqual(needed);
        ids.push(...page.assets.map(({ assetid }: { assetid: string }) => assetid));
        counts.push(page.assets.length);
        start = meta?.nextStartAssetid ?? null;
        if (start === null) break;
        expect(start).toBe(ids.at(-1));
      }
      expect(counts).toEqual(lengths);
      expect(new Set(ids).size).toBe(5_001);
    }
  },
);

describe('failures between a client and the platform', () => {
  it('an address that is blocked is no private inventory: another identity is used', async () => {
    await harness.control('PUT', '/identities/egress-1', { mode: 'block_page' });
    await harness.control('PUT', '/identities/egress-2', { mode: 'firewall_html' });

    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, serial) => read(sizeInventory(3, 810 + serial))),
    );

    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await harness.control('GET', '/counters')).toMatchObject({
      identities: {
        'egress-1': { by_status: { 403: expect.any(Number) } },
        'egress-2': { by_status: { 403: expect.any(Number) } },
      },
    });
    await harness.control('PUT', '/identities/egress-1', { mode: 'normal' });
    await harness.control('PUT', '/identities/egress-2', { mode: 'normal' });
  });

  it('throttled on every identity is reported as such, with Retry-After [upstream-unavailable-upstream-timeout]', async () => {
    const { platformId, ...inventory } = sizeInventory(7, 820);
    const failure = { kind: 'throttled' };
    await harness.control('POST', '/faults', { failure, platform_id: platformId });

    const response = await read({ platformId, ...inventory });

    expect([response.status, response.code]).toEqual([502, 'throttled']);
    expect(response.retryAfter).toBeGreaterThanOrEqual(1);
  });
});

it.each([
  ['an account that is none', { account_id: 'me' }, '15000'],
  ['a language the platform does not have', { language: 'klingon' }, '15000'],
  ['a start that is no asset id', { start_assetid: '12a' }, '15000'],
  ['more assets than a page has', { count: '2001' }, '15000'],
  ['no time limit', {}, ''],
  ['more time than is waited', {}, '600001'],
])('a call with %s is refused as invalid', async (_what, change, time) => {
  const { platformId, appId, contextId } = sizeInventory(1, 850);
  const query = new URLSearchParams({
    account_id: newAccountId(),
    language: 'english',
    form: 'v2',
    count: '2000',
    ...change,
  });
  const path = `/inventories/${platformId}/${appId}/${contextId}/live-page?${query}`;

  const response = await fetch(collector.url + path, { headers: { [timeLeftHeader]: time } });

  expect(response.status).toBe(422);
});

it('one account cannot take every slot of a replica', async () => {
  await harness.stopCollectors();
  const recover = await harness.failPages({ app_id: 440 });
  const narrow = await harness.startCollector({
    live: { triesMax: 1_000_000, limits: { perKeyMax: 2, totalMax: 4 } },
  });
  const [accountId, neighbour] = [newAccountId(), sizeInventory(2, 840, 440)];
  const responses: LivePageResponse[] = [];
  const reads = Array.from({ length: 4 }, async (_, serial) => {
    responses.push(await readLive(narrow, sizeInventory(2, 830 + serial, 440), { accountId }));
  });

  await waitFor('two are refused', () => responses.length === 2);
  const other = readLive(narrow, neighbour);
  await waitFor('the other account has a slot', async () => {
    const { accounts } = await harness.control('GET', '/counters');
    return Object.hasOwn(accounts as object, neighbour.platformId);
  });
  await recover();
  await Promise.all(reads);

  const codes = responses.map(({ code }) => code ?? 'page');
  expect(codes).toEqual(['rate_limit_exceeded', 'rate_limit_exceeded', 'page', 'page']);
  expect((await other).status).toBe(200);
});

it('an inventory that was confirmed private is requested once a minute, by whichever replica confirmed it and by a refresh too; a refresh asks always (upstream 6.5) [inventory-private-inventory-not-found]', async () => {
  await harness.stopCollectors();
  const clock = createRunningClock();
  const one = await harness.startCollector({}, clock);
  const other = await harness.startCollector({}, clock);
  const inventory = sizeInventory(3, 880);
  const { platformId, appId, contextId } = inventory;
  const scope = { platform_id: platformId, app_id: appId, context_id: contextId };
  const becomePrivate = (isPrivate: boolean) =>
    harness.control('PATCH', `/accounts/${platformId}`, { private: isPrivate });
  const refresh = async () => {
    const { refreshId } = await harness.request({ scope });
    const { record } = await harness.completed(one, refreshId);
    await waitFor('its lease is closed', async () => {
      const { inventories } = openCollections(harness.database);
      return (await inventories.findOne({ _id: inventoryKeyText(scope) }))?.scan === undefined;
    });
    return record.outcome;
  };
  const seen: [outcome: unknown, requests: number][] = [];
  const see = async (outcome: unknown) => {
    const { accounts } = await harness.control('GET', `/counters?platform_id=${platformId}`);
    const counted = accounts as Record<string, { readonly requests: number }>;
    seen.push([outcome, counted[platformId]?.requests ?? 0]);
  };
  const live = async (by: Collector) => see((await readLive(by, inventory)).code ?? 'page');

  await becomePrivate(true);
  await live(one);
  clock.advance(30_000);
  await live(other);
  clock.advance(30_000);
  await live(other);
  clock.advance(60_000);
  await see(await refresh());
  await becomePrivate(false);
  await live(one);
  await see(await refresh());
  await live(other);

  expect(seen).toEqual([
    ['inventory_private', 2],
    ['inventory_private', 2],
    ['inventory_private', 4],
    ['private', 6],
    ['inventory_private', 6],
    ['complete_changed', 7],
    ['page', 8],
  ]);
});
