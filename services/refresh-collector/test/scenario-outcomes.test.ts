import { scenarioInventory } from '@inventory/platform-simulator/scenarios';
import { waitFor } from '@inventory/testkit/wait-for';
import { type CollectorHarness, openCollectorHarness } from './collector-harness.ts';
import { expectedOutcomes, spreadApp, wholeSizes } from './expected-outcomes.ts';
import { farMs } from './quick-config.ts';

/*
 * Every scenario account of the platform, through four identities. `default-rate.test.ts` reads them
 * through the default one.
 */

let harness: CollectorHarness;
let collector: Awaited<ReturnType<CollectorHarness['startCollector']>>;
/** By scenario; all but the slow ones are requested at the same time, for an account each. */
const refreshIds = new Map<string, string>();
const slow = ['slow', 'slow-once'];
const serial = 700;

async function request(name: string): Promise<string> {
  const { platformId, appId, contextId } = scenarioInventory(name, serial);
  const place = expectedOutcomes.findIndex(([scenario]) => scenario === name);
  const app_id = spreadApp(place, appId);
  const scope = { platform_id: platformId, app_id, context_id: contextId };
  const { refresh_id } = await harness.request({ scope });
  refreshIds.set(name, refresh_id);
  return refresh_id;
}

async function requestsFor(name: string): Promise<number> {
  const { platformId } = scenarioInventory(name, serial);
  const { accounts } = await harness.control('GET', `/counters?platform_id=${platformId}`);
  return (accounts as Record<string, { requests: number }>)[platformId]?.requests ?? 0;
}

/** A collector that soon times out meets slow pages only; another one reads what has to succeed. */
async function requestSlowPages(): Promise<void> {
  const impatient = { platform: { timeoutMs: 50 } };
  const first = await harness.startCollector(impatient);
  await harness.completed(first, await request('slow'));
  await first.stop();
  const second = await harness.startCollector({ ...impatient, scan: { retryMs: farMs } });
  await request('slow-once');
  await waitFor('its first page was requested', async () => (await requestsFor('slow-once')) === 1);
  await second.stop();
}

beforeAll(async () => {
  harness = await openCollectorHarness();
  await requestSlowPages();
  collector = await harness.startCollector({
    // An inventory without an end: the 250 pages of production are held by `scan.domain.test.ts`.
    scan: { pagesMax: 12 },
    // In their order, few at a time: the first is not kept waiting by all the others.
    scheduling: { scansMax: 4 },
  });
  for (const [name] of expectedOutcomes) if (!slow.includes(name)) await request(name);
});
afterAll(() => harness.close());

it.each(expectedOutcomes)(
  '%s ends as %s, and its settlement follows (Settlement by outcome) [settlement-by-outcome]',
  async (name, expected) => {
    const refreshId = refreshIds.get(name) ?? '';

    const { record } = await harness.completed(collector, refreshId);

    expect(record.outcome).toBe(expected);
    const observed = harness.store.committed.get(refreshId)?.length ?? 0;
    const charged = { complete_changed: Math.ceil(observed / 2_000), private: 1, not_found: 1 };
    expect(record.billing).toMatchObject({
      credits_charged: charged[expected as keyof typeof charged] ?? 0,
      credits_released: 125 - (charged[expected as keyof typeof charged] ?? 0),
    });
  },
);

it.each([...wholeSizes])('%s is whole: %i assets (upstream 1.3, 6.10)', async (name, size) => {
  const refreshId = refreshIds.get(name) ?? '';
  await harness.completed(collector, refreshId);

  expect(harness.store.committed.get(refreshId)).toHaveLength(size);
});

it('a page above the byte limit is requested smaller, and the size grows again', async () => {
  await harness.completed(collector, refreshIds.get('heavy-first-page') ?? '');

  // 2,000 is too large; then four of 1,000, one of 2,000 and the last asset.
  expect(await requestsFor('heavy-first-page')).toBe(7);
});
