import { context, metrics, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { MeterProvider, type MetricReader } from '@opentelemetry/sdk-metrics';
import { createInnerPropagator } from './inner-propagator.ts';
import { type Diagnostics, logDiagnostics } from './log-diagnostics.ts';

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
