import { collectMetrics } from '../test/collected-metrics.ts';

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setTimeout', 'setImmediate', 'nextTick'] }));
afterEach(() => jest.useRealTimers());

test('jobs of one name share their series: failures add up, the oldest run is reported', async () => {
  const { measureJob } = await import('./job-metrics.ts');
  const age = 'inventory.job.run.age scan leases';
  const failures = 'inventory.job.failures scan leases';
  const [first, second] = [measureJob('scan leases', 5_000), measureJob('scan leases', 5_000)];

  jest.advanceTimersByTime(12_000);
  second.succeeded(5_000);
  first.failed();
  second.failed();
  expect(await collectMetrics()).toEqual({ [age]: 7, [failures]: 2 });

  first.stopped();
  expect(await collectMetrics()).toEqual({ [age]: 0, [failures]: 2 });
});
