import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));

/** What a scrape would show now: value by metric and job. */
async function collect(): Promise<Record<string, number>> {
  exporter.reset();
  await reader.forceFlush();
  const points = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((scope) => scope.metrics)
    .flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => [
        `${descriptor.name} ${attributes['job_name']}`,
        Math.round(Number(value)),
      ]),
    );
  return Object.fromEntries(points);
}

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
  expect(await collect()).toEqual({ [age]: 7, [failures]: 2 });

  first.stopped();
  expect(await collect()).toEqual({ [age]: 0, [failures]: 2 });
});
