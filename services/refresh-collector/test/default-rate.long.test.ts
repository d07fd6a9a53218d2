import {
  type DefaultRateCollector,
  defaults,
  openDefaultRateCollector,
} from './default-rate-collector.ts';

let collector: DefaultRateCollector;

beforeAll(async () => {
  collector = await openDefaultRateCollector();
  await collector.start();
});
afterAll(() => collector.close());

it.each([
  ['size-250000', 125, 250_000],
  ['size-250001', 126, 250_001],
])(
  '%s is complete within the deadline through the default identity at its default rate, by %i requests (Refresh: Deadlines)',
  async (scenario, pages, size) => {
    await collector.request(scenario);

    const { view, stored, requests, assets } = await collector.completed(scenario);

    const runMs = (stored.completedAtMs ?? 0) - (stored.scan?.startedAtMs ?? 0);
    expect(view.record).toMatchObject({
      outcome: 'complete_changed',
      billing: { creditsCharged: 125, creditsReleased: 0 },
    });
    expect([assets, requests]).toEqual([size, pages]);
    expect(runMs).toBeLessThanOrEqual(defaults.deadlines.collectMs);
  },
);
