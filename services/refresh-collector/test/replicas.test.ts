import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { newAccountId } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { type CollectorHarness, openCollectorHarness } from './collector-harness.ts';

let harness: CollectorHarness;

beforeEach(async () => {
  harness = await openCollectorHarness({ latency: { fixedMs: 100, slowMs: 2_500 } });
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
  it('go on with a scan whose worker was stopped in the middle, from its last page', async () => {
    const patient = { platform: { timeoutMs: 20_000 } };
    const first = await harness.startCollector(patient);
    const request = await harness.request({ scope: sized(80_001, 1) });
    await waitFor('some pages are read', async () => {
      const seen = await counters();
      return seen.total.requests >= 5;
    });
    await first.stop();
    const before = (await counters()).total.requests;

    const second = await harness.startCollector(patient);
    const { record } = await harness.completed(second, request.refresh_id);

    expect(record.outcome).toBe('complete_changed');
    expect(harness.store.committed.get(request.refresh_id)).toHaveLength(80_001);
    const after = (await counters()).total.requests;
    expect(after - before).toBeLessThanOrEqual(41 - 4 + 1);
    const epochs = new Set(
      harness.store.manifests.get(request.refresh_id)?.pages.map((page) => page.epoch),
    );
    expect(epochs.size).toBe(2);
  });

  it('keep one scan of an inventory at a time (Refresh: one scan at a time per inventory)', async () => {
    // Whoever gives up a page or a scan for dead may meet it alive: neither is wanted here.
    const patient = { platform: { timeoutMs: 20_000 }, scheduling: { leaseMs: 30_000 } };
    const collectors = await Promise.all([
      harness.startCollector(patient),
      harness.startCollector(patient),
    ]);
    const scope = sized(6_001, 1);
    const requests = await Promise.all(
      Array.from({ length: 6 }, () => harness.request({ account_id: newAccountId(), scope })),
    );
    for (const request of requests) await harness.completed(collectors[0], request.refresh_id);
    const response = await fetch(
      `${harness.simulator.url}/control/counters?platform_id=${scope.platform_id}`,
    );
    const { accounts } = (await response.json()) as {
      accounts: Record<string, { in_flight_max: number }>;
    };
    expect(Object.values(accounts).map((account) => account.in_flight_max)).toEqual([1]);
  });

  it('believe a private inventory only from two identities, and read on past a blocked one (upstream 6.6)', async () => {
    await fetch(`${harness.simulator.url}/control/identities/egress-1`, {
      method: 'PUT',
      body: JSON.stringify({ mode: 'block_page' }),
    });
    const collector = await harness.startCollector();
    const requests = await Promise.all(
      Array.from({ length: 8 }, (_, serial) =>
        harness.request({ scope: sized(1, 3_000 + serial) }),
      ),
    );
    for (const request of requests) {
      const { record } = await harness.completed(collector, request.refresh_id);
      expect(record.outcome).toBe('complete_changed');
    }
  });
});
