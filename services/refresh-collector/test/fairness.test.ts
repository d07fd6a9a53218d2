import type { AdmissionView } from '@inventory/contracts/internal/refresh';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { newAccountId } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  type Collector,
  type CollectorHarness,
  openCollectorHarness,
} from './collector-harness.ts';

let harness: CollectorHarness;
let collector: Collector;

beforeAll(async () => {
  harness = await openCollectorHarness({ latency: { fixedMs: 500, slowMs: 2_500 } });
  collector = await harness.startCollector();
});
afterAll(() => harness.close());

const scope = (size: number, serial: number) => {
  const { platformId, appId, contextId } = sizeInventory(size, serial);
  return { platform_id: platformId, app_id: appId, context_id: contextId };
};

async function onePageMs(serial: number): Promise<number> {
  const startMs = performance.now();
  const request = await harness.request({ account_id: newAccountId(), scope: scope(1, serial) });
  await harness.completed(collector, request.refresh_id);
  return performance.now() - startMs;
}

describe('accounts that share the collectors', () => {
  it('wait at most max(3 x idle, idle + 3 s) behind 200 ten-page scans of another account', async () => {
    const idleMs = await onePageMs(1);
    const busy = newAccountId();
    await Promise.all(
      Array.from({ length: 200 }, (_, serial) =>
        harness.request({ account_id: busy, scope: scope(20_000, 100 + serial) }),
      ),
    );
    await waitFor('all of them are accepted and some run', async () => {
      const admission = await fetch(`${collector.url}/admission`);
      const { outstanding } = (await admission.json()) as AdmissionView;
      const [running = 0] = await harness.scansByOwner();
      return outstanding >= 200 && running >= 16;
    });

    const behindMs = await onePageMs(2);

    expect(behindMs).toBeLessThanOrEqual(Math.max(3 * idleMs, idleMs + 3_000));
  }, 60_000);
});
