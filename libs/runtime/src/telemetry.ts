import { createNoopMeter } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { startNodeSdk } from '@opentelemetry/sdk-node';
import { provideTelemetry } from './telemetry-access.ts';

/*
 * Loaded by `node --require` before anything it instruments. Metrics are always collected and
 * read at /metrics; tracing costs up to half of the plain request capacity and is on only where
 * an exporter is named in the standard OTEL_* settings.
 */
const environment = process.env;
const tracingOn =
  environment['OTEL_SDK_DISABLED'] !== 'true' &&
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_TRACES_EXPORTER',
  ].some((name) => environment[name] !== undefined && environment[name] !== '');

const untracedPaths = new Set(['/livez', '/readyz', '/metrics']);
/** Whoever scrapes knows which process it asks: nothing of it is repeated in labels. */
const prometheus = new PrometheusExporter({
  preventServerStart: true,
  withoutTargetInfo: true,
  withoutScopeInfo: true,
});
const tracingInstrumentations = tracingOn
  ? [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: (request) =>
          untracedPaths.has((request.url ?? '').split('?', 1)[0] ?? ''),
      }),
      new UndiciInstrumentation({ requireParentforSpans: true }),
      new MongoDBInstrumentation({ requireParentSpan: true }),
    ]
  : [];

const sdk = startNodeSdk({
  logLevel: environment['OTEL_LOG_LEVEL'] ?? 'error',
  metricReaders: [prometheus],
  logRecordProcessors: [],
  ...(tracingOn ? {} : { spanProcessors: [] }),
  instrumentations: [new RuntimeNodeInstrumentation(), ...tracingInstrumentations],
});
// Their own metrics would be labelled with every host that a customer's webhook names.
for (const instrumentation of tracingInstrumentations) {
  instrumentation.setMeterProvider({ getMeter: createNoopMeter });
}

provideTelemetry({
  serveMetrics: (request, response) => prometheus.getMetricsRequestHandler(request, response),
  flush: () => sdk.shutdown(),
});
