import { scenarioInventory } from '@inventory/platform-simulator/scenarios';
import { type CollectorHarness, openCollectorHarness } from './collector-harness.ts';
import { expectedOutcomes, spreadApp } from './expected-outcomes.ts';
import { identitiesOf } from './quick-config.ts';

let harness: CollectorHarness;

/** A good page after one that came too late: `platform-client.test.ts` reads both. */
const outcomes = expectedOutcomes.filter(([name]) => name !== 'slow-once');
/** A page that never comes. Nothing that has to succeed meets a collector that soon gives it up. */
const slow = 'slow';

/** Where a scan could end early and look complete. */
const wholeSizes = [
  ['size-4001', 4_001],
  ['all-hidden', 0],
  ['some-hidden', 40],
  ['blank-middle-page', 4_001],
  ['short-middle-page', 5_000],
  ['cursor-removed-next', 4_001],
  ['cursor-removed-blank-end', 4_000],
  ['hidden-end', 4_000],
  ['heavy-first-page', 6_001],
] as const;

beforeAll(async () => {
  harness = await openCollectorHarness();
});
afterAll(() => harness.close());

describe.each([
  { through: 'four identities', egress: () => identitiesOf(harness.simulator, 4), serial: 700 },
  { through: 'the default identity alone', egress: () => ['direct'], serial: 701 },
])('every scenario account of the platform, through $through', ({ egress, serial }) => {
  /** By scenario; all but one are requested at the same time, each for an account of its own. */
  const refreshIds = new Map<string, string>();
  let collector: Awaited<ReturnType<CollectorHarness['startCollector']>>;

  async function request(name: string): Promise<string> {
    const { platformId, appId, contextId } = scenarioInventory(name, serial);
    const place = expectedOutcomes.findIndex(([scenario]) => scenario === name);
    const app_id = spreadApp(place, appId);
    const scope = { platform_id: platformId, app_id, context_id: contextId };
    const { refresh_id } = await harness.request({ scope });
    refreshIds.set(name, refresh_id);
    return refresh_id;
  }

  beforeAll(async () => {
    const platform = { egress: egress() };
    const impatient = await harness.startCollector({ platform: { ...platform, timeoutMs: 50 } });
    await harness.completed(impatient, await request(slow));
    await impatient.stop();
    // An inventory without an end: the 250 pages of production are held by `scan.domain.test.ts`.
    collector = await harness.startCollector({
      platform,
      scan: { pagesMax: 12 },
      // In their order, few at a time: the first is not kept waiting by all the others.
      scheduling: { scansMax: 4 },
    });
    for (const [name] of outcomes) if (name !== slow) await request(name);
  });
  afterAll(() => harness.stopCollectors());

  it.each(outcomes)(
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

  it.each(wholeSizes)('%s is whole: %i assets (upstream 1.3, 6.10)', async (name, size) => {
    const refreshId = refreshIds.get(name) ?? '';
    await harness.completed(collector, refreshId);

    expect(harness.store.committed.get(refreshId)).toHaveLength(size);
  });

  it('a page above the byte limit is requested smaller, and the size grows again', async () => {
    const { platformId } = scenarioInventory('heavy-first-page', serial);
    await harness.completed(collector, refreshIds.get('heavy-first-page') ?? '');

    // 2,000 is too large; then four of 1,000, one of 2,000 and the last asset.
    const { accounts } = await harness.control('GET', `/counters?platform_id=${platformId}`);
    expect(accounts).toMatchObject({ [platformId]: { requests: 7 } });
  });
});
