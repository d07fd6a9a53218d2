import { context, metrics, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { MeterProvider, type MetricReader } from '@opentelemetry/sdk-metrics';
import { createInnerPropagator } from './inner-propagator.ts';
import { type Diagnostics, logDiagnostics } from './log-diagnostics.ts';

/**
 * Node's own metrics. The event loop delay is sampled 20 times a second, and includes the sampling
 * interval: at the default of 100 times an idle process spends 1 % of a core on it.
 */
export function observeRuntime(): RuntimeNodeInstrumentation {
  return new RuntimeNodeInstrumentation({ monitoringPrecision: 50 });
}

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
  observeRuntime().setMeterProvider(provider);
  return () => provider.shutdown();
}
