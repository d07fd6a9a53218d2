import { scenarioInventory } from '@inventory/platform-simulator/scenarios';
import {
  type Collector,
  type CollectorHarness,
  openCollectorHarness,
} from './collector-harness.ts';
import { expectedOutcomes, spreadApp } from './expected-outcomes.ts';

let harness: CollectorHarness;
let collector: Collector;
/** By scenario; all but one are asked for at the same time, each for an account of its own. */
const refreshIds = new Map<string, string>();

/** A good page after one that came too late: `platform-client.test.ts` reads both. */
const outcomes = expectedOutcomes.filter(([name]) => name !== 'slow-once');
/** A page that never comes. Nothing that has to succeed meets a collector that soon gives it up. */
const slow = 'slow';

async function ask(name: string): Promise<string> {
  const { platformId, appId, contextId } = scenarioInventory(name, 700);
  const place = expectedOutcomes.findIndex(([scenario]) => scenario === name);
  const app_id = spreadApp(place, appId);
  const scope = { platform_id: platformId, app_id, context_id: contextId };
  const { refresh_id } = await harness.request({ scope });
  refreshIds.set(name, refresh_id);
  return refresh_id;
}

beforeAll(async () => {
  harness = await openCollectorHarness();
  const impatient = await harness.startCollector({ platform: { timeoutMs: 50 } });
  await harness.completed(impatient, await ask(slow));
  await impatient.stop();
  // An inventory without an end: the 250 pages of production are held by `domain/scan.test.ts`.
  collector = await harness.startCollector({
    scan: { pagesMax: 5 },
    // In their order, few at a time: the first is not kept waiting by all the others.
    scheduling: { scansMax: 4 },
  });
  for (const [name] of outcomes) if (name !== slow) await ask(name);
});
afterAll(() => harness.close());

describe('every scenario account of the platform', () => {
  it.each(outcomes)(
    '%s ends as %s, and its settlement follows (Settlement by outcome)',
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
});
