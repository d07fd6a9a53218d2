import type { RefreshOutcome } from '@inventory/contracts/vocabulary';
import { scenarioInventory, scenarioNames } from '@inventory/platform-simulator/scenarios';
import {
  type Collector,
  type CollectorHarness,
  openCollectorHarness,
} from './collector-harness.ts';

type ScenarioName = (typeof scenarioNames)[number];

let harness: CollectorHarness;
let collector: Collector;

beforeAll(async () => {
  harness = await openCollectorHarness({ latency: { fixedMs: 0, slowMs: 2_500 } });
  collector = await harness.startCollector();
});
afterAll(() => harness.close());

/** Scenarios that end in anything but a complete inventory (upstream: mapping to outcomes). */
const failures: Partial<Record<ScenarioName, RefreshOutcome>> = {
  private: 'private',
  'private-401': 'private',
  'becomes-private-at-page-2': 'private',
  // Page 1 stays public, so it is no private inventory.
  'private-at-page-2-only': 'upstream_unavailable',
  'not-found': 'not_found',
  'not-found-html': 'not_found',
  'unknown-app': 'not_found',
  'eresult-42': 'not_found',
  'bad-request': 'upstream_unavailable',
  'eresult-77': 'upstream_unavailable',
  'eresult-55': 'upstream_unavailable',
  'null-200': 'upstream_unavailable',
  'html-200': 'upstream_unavailable',
  'old-refusal': 'upstream_unavailable',
  unsuccessful: 'upstream_unavailable',
  'fake-redirect': 'upstream_unavailable',
  'truncated-json': 'upstream_unavailable',
  'gateway-503': 'upstream_unavailable',
  slow: 'upstream_unavailable',
  'cursor-removed-500': 'upstream_unavailable',
  'same-cursor-twice': 'incomplete',
  'cursor-cycle': 'incomplete',
  'cursor-missing': 'incomplete',
  'never-ends': 'incomplete',
};
/** Walked by the benchmark and the store's own test; too long for here. */
const elsewhere: readonly ScenarioName[] = ['size-250000', 'size-250001'];

describe('every scenario account of the platform', () => {
  it.each(scenarioNames.filter((name) => !elsewhere.includes(name)))(
    '%s ends with its outcome and its settlement (Settlement by outcome)',
    async (name) => {
      const { platformId, appId, contextId } = scenarioInventory(name, 700);
      const request = await harness.request({
        scope: { platform_id: platformId, app_id: appId, context_id: contextId },
      });

      const { record } = await harness.completed(collector, request.refresh_id, 28_000);

      const expected = failures[name] ?? 'complete_changed';
      expect(record.outcome).toBe(expected);
      const observed = harness.store.committed.get(request.refresh_id)?.length ?? 0;
      const charged = { complete_changed: Math.ceil(observed / 2_000), private: 1, not_found: 1 };
      expect(record.billing).toMatchObject({
        credits_charged: charged[expected as keyof typeof charged] ?? 0,
        credits_released: 125 - (charged[expected as keyof typeof charged] ?? 0),
      });
    },
  );
});
