import { scenarioInventory } from '@inventory/platform-simulator/scenarios';
import {
  type Collector,
  type CollectorHarness,
  openCollectorHarness,
} from './collector-harness.ts';
import { expectedOutcomes, spreadApp } from './expected-outcomes.ts';

let harness: CollectorHarness;
let collector: Collector;
/** Of all, asked for at the same time, each for an account of its own. */
const refreshIds: string[] = [];

beforeAll(async () => {
  harness = await openCollectorHarness({ latency: { fixedMs: 0, slowMs: 2_500 } });
  collector = await harness.startCollector();
  for (const [place, [name]] of expectedOutcomes.entries()) {
    const { platformId, appId, contextId } = scenarioInventory(name, 700);
    const app_id = spreadApp(place, appId);
    const scope = { platform_id: platformId, app_id, context_id: contextId };
    refreshIds.push((await harness.request({ scope })).refresh_id);
  }
});
afterAll(() => harness.close());

describe('every scenario account of the platform', () => {
  it.each(expectedOutcomes.map(([name, expected], place) => [name, expected, place] as const))(
    '%s ends as %s, and its settlement follows (Settlement by outcome)',
    async (_name, expected, place) => {
      const refreshId = refreshIds[place] ?? '';

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
});
