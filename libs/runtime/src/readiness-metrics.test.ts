import { collectMetrics } from '../test/collected-metrics.ts';
import type { Readiness } from './readiness-metrics.ts';

const problem = ['MongoDB is unavailable'];

test.each<[Readiness, number, number]>([
  [{ failing: [], degraded: [] }, 1, 0],
  [{ failing: [], degraded: problem }, 1, 1],
  [{ failing: problem, degraded: [] }, 0, 0],
])('a collection of metrics reports the last readiness: %j', async (readiness, ready, degraded) => {
  const { measureReadiness } = await import('./readiness-metrics.ts');

  measureReadiness(readiness);

  expect(await collectMetrics()).toEqual({
    'inventory.ready': ready,
    'inventory.degraded': degraded,
  });
});
