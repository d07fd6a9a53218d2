import { scenarioInventory, sizeInventory } from '@inventory/platform-simulator/scenarios';
import { monotonicNow } from '@inventory/runtime/clock';
import { newAccountId } from '@inventory/testkit/builders';
import { type CollectorHarness, openCollectorHarness } from './collector-harness.ts';
import { identitiesOf } from './quick-config.ts';

let harness: CollectorHarness;

beforeEach(async () => {
  harness = await openCollectorHarness({ now: monotonicNow, latency: { fixedMs: 100 } });
});
afterEach(() => harness.close());

const sized = (size: number, serial: number) => {
  const { platformId, appId, contextId } = sizeInventory(size, serial);
  return { platform_id: platformId, app_id: appId, context_id: contextId };
};
const counters = async () => {
  const response = await fetch(`${harness.simulator.url}/control/counters`);
  return (await response.json()) as {
    total: { requests: number; throttled: number };
    identities: Record<string, { in_flight_max: number; requests: number }>;
  };
};

describe('several collectors', () => {
  it('share the work: each of two does at least an eighth of 40 refreshes, and none is throttled', async () => {
    // The platform's real shape on a faster clock: 6 requests in 6 seconds, blocked until silence.
    await fetch(`${harness.simulator.url}/control/limits`, {
      method: 'PATCH',
      body: JSON.stringify({ window_seconds: 6, slots: 6, block_seconds: 6 }),
    });
    const identities = {
      requestsPerMinute: 40,
      burst: 2,
      cooldownFirstMs: 9_000,
      cooldownMaxMs: 60_000,
    };
    const platform = { egress: identitiesOf(harness.simulator, 12) };
    // As in production, a collector polls for scans more often than one of them takes. Both have as
    // many at a time; the one that is served sooner does more of them.
    const scheduling = { idleMs: 20 };
    const [first] = await Promise.all([
      harness.startCollector({ identities, platform, scheduling }),
      harness.startCollector({ identities, platform, scheduling }),
    ]);
    const account = newAccountId();
    const requests = await Promise.all(
      Array.from({ length: 40 }, (_, serial) =>
        harness.request({ accountId: account, scope: sized(1, 1_000 + serial) }),
      ),
    );

    for (const request of requests) await harness.completed(first, request.refreshId);

    const shares = await harness.scansByOwner();
    expect(shares).toHaveLength(2);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(5);
    expect(harness.store.manifests.size).toBe(40);
    const seen = await counters();
    expect(seen.total.throttled).toBe(0);
    for (const identity of Object.values(seen.identities)) {
      expect(identity.in_flight_max).toBe(1);
    }
  });

  it('wait out a throttled identity without an early request (upstream 6.4)', async () => {
    await fetch(`${harness.simulator.url}/control/limits`, {
      method: 'PATCH',
      body: JSON.stringify({ window_seconds: 2, slots: 1, block_seconds: 2 }),
    });
    const collector = await harness.startCollector({
      identities: {
        requestsPerMinute: 600,
        burst: 2,
        cooldownFirstMs: 2_500,
        cooldownMaxMs: 10_000,
      },
      platform: { egress: identitiesOf(harness.simulator, 1) },
    });
    const { platformId, appId, contextId } = scenarioInventory('one-item', 77);
    const first = await harness.request({
      scope: { platform_id: platformId, app_id: appId, context_id: contextId },
    });
    const second = await harness.request({ scope: sized(1, 4_000) });
    for (const request of [first, second]) {
      const { record } = await harness.completed(collector, request.refreshId);
      expect(record.outcome).toBe('complete_changed');
    }
    const { total } = await counters();
    expect(total.throttled).toBeLessThanOrEqual(2);
  });
});
