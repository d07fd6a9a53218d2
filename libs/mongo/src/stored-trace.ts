import type { TraceCarrier } from '@inventory/runtime/tracing';
import { z } from 'zod';

/** The trace that a document continues; empty where tracing is off. */
export const storedTrace: z.ZodType<TraceCarrier> = z.object({
  traceparent: z.string().exactOptional(),
  tracestate: z.string().exactOptional(),
});
