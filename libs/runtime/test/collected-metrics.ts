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

/** What a scrape would show now of instruments made after this module: value by metric and job. */
export async function collectMetrics(): Promise<Record<string, number>> {
  exporter.reset();
  await reader.forceFlush();
  const points = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((scope) => scope.metrics)
    .flatMap(({ descriptor: { name }, dataPoints }) =>
      dataPoints.map(({ attributes: { job_name: job }, value }) => [
        job === undefined ? name : `${name} ${job}`,
        Math.round(Number(value)),
      ]),
    );
  return Object.fromEntries(points);
}
