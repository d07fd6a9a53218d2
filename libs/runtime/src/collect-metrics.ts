import {
  context,
  DiagConsoleLogger,
  DiagLogLevel,
  diag,
  metrics,
  propagation,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { MeterProvider, type MetricReader } from '@opentelemetry/sdk-metrics';

/**
 * Node's own metrics. The event loop delay is sampled 20 times a second, and includes the sampling
 * interval: at the default of 100 times an idle process spends 1 % of a core on it.
 */
export function observeRuntime(): RuntimeNodeInstrumentation {
  return new RuntimeNodeInstrumentation({ monitoringPrecision: 50 });
}

/** Collects metrics and propagates foreign trace contexts. Returns the shutdown function. */
export function collectMetrics(reader: MetricReader): () => Promise<void> {
  diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.ERROR);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  observeRuntime().setMeterProvider(provider);
  return () => provider.shutdown();
}
