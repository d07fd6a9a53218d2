import { hostname } from 'node:os';
import { createNoopMeter } from '@opentelemetry/api';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  processDetector,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import type { MetricReader } from '@opentelemetry/sdk-metrics';
import { startNodeSdk } from '@opentelemetry/sdk-node';
import { createInnerPropagator } from './collect-metrics.ts';
import { type Diagnostics, logDiagnostics } from './log-diagnostics.ts';
import { detachCallerTrace, linkCallerTrace } from './tracing.ts';

const untracedPaths = new Set(['/livez', '/readyz', '/metrics']);

/** Exports metrics, and traces by the standard OTEL_* settings. Returns the shutdown function. */
export function exportTraces(reader: MetricReader, diagnostics: Diagnostics): () => Promise<void> {
  const tracing = [
    new HttpInstrumentation({
      // The first that is called for a request.
      ignoreIncomingRequestHook(request) {
        detachCallerTrace(request);
        return untracedPaths.has((request.url ?? '').split('?', 1)[0] ?? '');
      },
      requestHook: (span, request) => {
        if ('headers' in request) linkCallerTrace(span, request.headers);
      },
    }),
    new UndiciInstrumentation({ requireParentforSpans: true }),
    new MongoDBInstrumentation({ requireParentSpan: true }),
  ];
  const sdk = startNodeSdk({
    logLevel: diagnostics.level,
    metricReaders: [reader],
    logRecordProcessors: [],
    propagators: [createInnerPropagator()],
    // Those that resolve at once: every export reports an error while one is awaited.
    resourceDetectors: [processDetector, serviceInstanceIdDetector, serviceNameEnvDetector],
    resourceAttributes: { 'host.name': hostname() },
    instrumentations: tracing,
  });
  logDiagnostics(diagnostics);
  // Their own metrics have the host of every customer's webhook as a label.
  for (const instrumentation of tracing) {
    instrumentation.setMeterProvider({ getMeter: createNoopMeter });
  }
  return () => sdk.shutdown();
}
