import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { Readiness } from './readiness-metrics.ts';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));

async function collect(): Promise<Record<string, number>> {
  exporter.reset();
  await reader.forceFlush();
  const points = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((scope) => scope.metrics)
    .flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ value }) => [descriptor.name, Number(value)]),
    );
  return Object.fromEntries(points);
}

const problem = ['MongoDB is unavailable'];

test.each<[Readiness, number, number]>([
  [{ failing: [], degraded: [] }, 1, 0],
  [{ failing: [], degraded: problem }, 1, 1],
  [{ failing: problem, degraded: [] }, 0, 0],
])('a collection of metrics reports the last readiness: %j', async (readiness, ready, degraded) => {
  const { measureReadiness } = await import('./readiness-metrics.ts');

  measureReadiness(readiness);

  expect(await collect()).toEqual({ 'inventory.ready': ready, 'inventory.degraded': degraded });
});
