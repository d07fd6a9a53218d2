import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { collectMetrics } from './collect-metrics.ts';
import type { exportTraces } from './export-traces.ts';
import { provideTelemetry } from './telemetry-access.ts';

/*
 * Loaded by `node --require` before the modules it instruments. Metrics are always collected and
 * served at /metrics; tracing costs up to half of the plain request capacity and is on only where
 * the standard OTEL_* settings name an exporter.
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

/** The scrape identifies the process: its labels do not repeat that. */
const prometheus = new PrometheusExporter({
  preventServerStart: true,
  withoutTargetInfo: true,
  withoutScopeInfo: true,
});

const diagnostics = {
  service: environment['OTEL_SERVICE_NAME'] ?? 'telemetry',
  level: environment['OTEL_LOG_LEVEL'] ?? 'error',
};

/** Loaded on demand: the tracing SDK is two thirds of the modules of a process, and often unused. */
function startTracing(): () => Promise<void> {
  const tracing: { exportTraces: typeof exportTraces } = require('./export-traces.js');
  return tracing.exportTraces(prometheus, diagnostics);
}

function start(): () => Promise<void> {
  if (isDisabled) return async () => {};
  return isTraced ? startTracing() : collectMetrics(prometheus, diagnostics);
}

provideTelemetry({
  serveMetrics: (request, response) => prometheus.getMetricsRequestHandler(request, response),
  flush: start(),
});
