import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { collectMetrics } from './collect-metrics.ts';
import type { exportTraces } from './export-traces.ts';
import { provideTelemetry } from './telemetry-access.ts';

/*
 * Loaded by `node --require` before anything it instruments. Metrics are always collected and
 * read at /metrics; tracing costs up to half of the plain request capacity and is on only where
 * an exporter is named in the standard OTEL_* settings.
 */
const environment = process.env;
const isDisabled = environment['OTEL_SDK_DISABLED'] === 'true';
const isTraced =
  !isDisabled &&
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_TRACES_EXPORTER',
  ].some((name) => environment[name] !== undefined && environment[name] !== '');

/** Whoever scrapes knows which process it asks: nothing of it is repeated in labels. */
const prometheus = new PrometheusExporter({
  preventServerStart: true,
  withoutTargetInfo: true,
  withoutScopeInfo: true,
});

/** The tracing SDK with its exporters is two thirds of what a process would load, and often unused. */
function startTracing(): () => Promise<void> {
  const tracing: { exportTraces: typeof exportTraces } = require('./export-traces.js');
  return tracing.exportTraces(prometheus, environment['OTEL_LOG_LEVEL'] ?? 'error');
}

function start(): () => Promise<void> {
  if (isDisabled) return async () => {};
  return isTraced ? startTracing() : collectMetrics(prometheus);
}

provideTelemetry({
  serveMetrics: (request, response) => prometheus.getMetricsRequestHandler(request, response),
  flush: start(),
});
