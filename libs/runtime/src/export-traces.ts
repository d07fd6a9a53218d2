import { createNoopMeter } from '@opentelemetry/api';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import type { MetricReader } from '@opentelemetry/sdk-metrics';
import { startNodeSdk } from '@opentelemetry/sdk-node';
import { observeRuntime } from './collect-metrics.ts';

const untracedPaths = new Set(['/livez', '/readyz', '/metrics']);

/** Exports metrics, and traces by the standard OTEL_* settings. Returns the shutdown function. */
export function exportTraces(reader: MetricReader, logLevel: string): () => Promise<void> {
  const tracing = [
    new HttpInstrumentation({
      ignoreIncomingRequestHook: (request) =>
        untracedPaths.has((request.url ?? '').split('?', 1)[0] ?? ''),
    }),
    new UndiciInstrumentation({ requireParentforSpans: true }),
    new MongoDBInstrumentation({ requireParentSpan: true }),
  ];
  const sdk = startNodeSdk({
    logLevel,
    metricReaders: [reader],
    logRecordProcessors: [],
    instrumentations: [observeRuntime(), ...tracing],
  });
  // Their own metrics have the host of every customer's webhook as a label.
  for (const instrumentation of tracing) {
    instrumentation.setMeterProvider({ getMeter: createNoopMeter });
  }
  return () => sdk.shutdown();
}
