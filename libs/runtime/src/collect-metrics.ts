import { context, metrics, propagation, type TextMapPropagator } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { MeterProvider, type MetricReader } from '@opentelemetry/sdk-metrics';
import { type Diagnostics, logDiagnostics } from './log-diagnostics.ts';
import { staysInside } from './tracing.ts';

/** Collects metrics; traces of other services are only passed on. Returns the shutdown function. */
export function collectMetrics(
  reader: MetricReader,
  diagnostics: Diagnostics,
): () => Promise<void> {
  logDiagnostics(diagnostics);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(createInnerPropagator());
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  return () => provider.shutdown();
}

/**
 * W3C trace context without baggage, and only where {@link staysInside} is set: requests to the
 * platform and to customers' webhooks carry nothing that connects them.
 */
export function createInnerPropagator(): TextMapPropagator {
  const w3c = new W3CTraceContextPropagator();
  return {
    inject(context, carrier, setter) {
      if (context.getValue(staysInside)) w3c.inject(context, carrier, setter);
    },
    extract: (context, carrier, getter) => w3c.extract(context, carrier, getter),
    fields: () => w3c.fields(),
  };
}
