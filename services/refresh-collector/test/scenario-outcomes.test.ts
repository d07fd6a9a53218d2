import { scenarioInventory } from '@inventory/platform-simulator/scenarios';
import {
  type Collector,
  type CollectorHarness,
  openCollectorHarness,
} from './collector-harness.ts';
import { expectedOutcomes } from './expected-outcomes.ts';

let harness: CollectorHarness;
let collector: Collector;

beforeAll(async () => {
  harness = await openCollectorHarness({ latency: { fixedMs: 0, slowMs: 2_500 } });
  collector = await harness.startCollector();
});
afterAll(() => harness.close());

/** An inventory that never ends is read to the last of 250 full pages. */
const longestMs = 100_000;

describe('every scenario account of the platform', () => {
  it.each(expectedOutcomes)(
    '%s ends as %s, and its settlement follows (Settlement by outcome)',
    async (name, expected) => {
      const { platformId, appId, contextId } = scenarioInventory(name, 700);
      const request = await harness.request({
        scope: { platform_id: platformId, app_id: appId, context_id: contextId },
      });

      const { record } = await harness.completed(collector, request.refresh_id, longestMs);

      expect(record.outcome).toBe(expected);
      const observed = harness.store.committed.get(request.refresh_id)?.length ?? 0;
      const charged = { complete_changed: Math.ceil(observed / 2_000), private: 1, not_found: 1 };
      expect(record.billing).toMatchObject({
        credits_charged: charged[expected as keyof typeof charged] ?? 0,
        credits_released: 125 - (charged[expected as keyof typeof charged] ?? 0),
      });
    },
    longestMs + 10_000,
  );
});
