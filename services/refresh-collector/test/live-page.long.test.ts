import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { monotonicNow } from '@inventory/runtime/clock';
import { openCollectorHarness } from './collector-harness.ts';
import { readLive } from './live-reader.ts';

test('two replicas keep the rate of the identities together, and are never throttled [upstream-unavailable-upstream-timeout]', async () => {
  const harness = await openCollectorHarness({
    now: monotonicNow,
    latency: { fixedMs: 50 },
    // Twice what we allow ourselves, as with the real platform.
    limits: { windowSeconds: 6, slots: 6, blockSeconds: 6, countMax: 2_000 },
  });
  try {
    const identities = {
      requestsPerMinute: 30,
      burst: 2,
      cooldownFirstMs: 90_000,
      cooldownMaxMs: 90_000,
    };
    const replicas = [
      await harness.startCollector({ identities }),
      await harness.startCollector({ identities }),
    ] as const;

    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, serial) =>
        readLive(serial % 2 === 0 ? replicas[0] : replicas[1], sizeInventory(2, 860 + serial)),
      ),
    );

    expect(responses.map(({ code }) => code ?? 'page')).toEqual(Array(30).fill('page'));
    const counters = await harness.control('GET', '/counters');
    expect(counters['total']).toMatchObject({ throttled: 0 });
    const { identities: seen } = counters as { identities: Record<string, object> };
    for (const one of Object.values(seen)) expect(one).toMatchObject({ in_flight_max: 1 });
  } finally {
    await harness.close();
  }
});
