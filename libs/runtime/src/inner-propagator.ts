import { createContextKey, type TextMapPropagator } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

/** Set in the context of what is sent to a service of ours. */
export const staysInside = createContextKey('inventory.stays_inside');

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
