import type { RefreshOutcome } from '@inventory/contracts/vocabulary';
import {
  type DefaultRateCollector,
  type DefaultRateRefresh,
  defaults,
  openDefaultRateCollector,
} from './default-rate-collector.ts';
import { expectedOutcomes, wholeSizes } from './expected-outcomes.ts';

let collector: DefaultRateCollector;

beforeAll(async () => {
  collector = await openDefaultRateCollector();
});
afterAll(() => collector.close());

/** A page above the byte limit: 2,000 is too large; then four of 1,000, one of 2,000, the last asset. */
const exactRequests: ReadonlyMap<string, number> = new Map([
  ['heavy-first-page', 7],
  ['heavy-compressed-page', 7],
  ['more-rows-than-asked', 3],
  ['all-rows-at-once', 1],
]);

/** The right end and charge, within the deadline, for each page once and the tries of one. */
function expectEnd(
  scenario: string,
  outcome: RefreshOutcome,
  { view, stored, requests, assets }: DefaultRateRefresh,
): void {
  const { scan, completedAtMs: completedAt } = stored;
  const runMs = (completedAt ?? Number.NaN) - (scan?.startedAtMs ?? 0);
  // A denial of a later page is confirmed by page 1, try for try.
  const requestsMax = (scan?.pages ?? 0) + 2 * defaults.pages.triesMax;

  const charged = { complete_changed: Math.ceil(assets / 2_000), private: 1, not_found: 1 };
  const credits = charged[outcome as keyof typeof charged] ?? 0;

  expect(view.record.outcome).toBe(outcome);
  expect(view.record.billing).toMatchObject({
    creditsCharged: credits,
    creditsReleased: 125 - credits,
  });
  expect(assets).toBe(wholeSizes.get(scenario) ?? assets);
  expect(runMs).toBeLessThanOrEqual(defaults.deadlines.collectMs);
  expect(requests).toBeLessThanOrEqual(requestsMax);
  expect(requests).toBe(exactRequests.get(scenario) ?? requests);
}

describe('every scenario of the platform, through the default identity at its default rate (Refresh: Deadlines; Settlement by outcome; upstream 1.3, 6.10) [settlement-by-outcome]', () => {
  const slow = ['slow', 'slow-once'];

  describe('with pages later than a request waits', () => {
    beforeAll(() => collector.start(50));
    afterAll(() => collector.stop());

    it('slow ends as upstream_unavailable in time, after the tries of one page', async () => {
      await collector.request('slow');

      expectEnd('slow', 'upstream_unavailable', await collector.completed('slow'));
    });

    it('slow-once ends as complete_changed in time, by a second try', async () => {
      await collector.request('slow-once');
      await collector.untilRequested('slow-once', 1);
      // No second request before time moves: it is sent by a collector that waits for its answer.
      await collector.stop();
      await collector.start();

      expectEnd('slow-once', 'complete_changed', await collector.completed('slow-once'));
    });
  });

  describe('with every other answer of the platform', () => {
    beforeAll(() => collector.start());
    afterAll(() => collector.stop());

    it.each(expectedOutcomes.filter(([name]) => !slow.includes(name)))(
      '%s ends as %s in time, after no more requests than its pages and tries',
      async (scenario, outcome) => {
        await collector.request(scenario);

        expectEnd(scenario, outcome, await collector.completed(scenario));
      },
    );
  });
});
