import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** W3C trace context as text, for a document or a header. */
export interface TraceCarrier {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Set in the context of what is sent to a service of ours. */
export const staysInside = createContextKey('inventory.stays_inside');

/** By name: the preloaded telemetry may have its own instance of this module. */
const callerTrace: unique symbol = Symbol.for('inventory.caller_trace');
const fromOutside: unique symbol = Symbol.for('inventory.from_outside');

const tracer = trace.getTracer('@inventory/runtime');

/** The active context; empty when tracing is off. */
export function currentTrace(): TraceCarrier {
  return carrierOf(context.active());
}

/** Runs `work`, whose requests carry the active trace: calls of our own services alone. */
export function sendingTrace<Value>(work: () => Value): Value {
  return context.with(context.active().setValue(staysInside, true), work);
}

/** Marks a connection whose requests are from outside. */
export function markFromOutside(socket: Socket): void {
  Object.assign(socket, { [fromOutside]: true });
}

/**
 * Takes the trace context off a request from outside, before it is traced: its sender chooses neither
 * our trace ids nor what is sampled, and its baggage is not passed on.
 */
export function detachCallerTrace({ headers, socket }: IncomingMessage): void {
  if (!(fromOutside in socket)) return;
  const { traceparent } = headers;
  for (const name of ['traceparent', 'tracestate', 'baggage']) delete headers[name];
  if (typeof traceparent === 'string') Object.assign(headers, { [callerTrace]: traceparent });
}

/** Links a span to the trace that its request came with. */
export function linkCallerTrace(span: Span, headers: object | undefined): void {
  const traceparent = (headers as { readonly [callerTrace]?: string } | undefined)?.[callerTrace];
  const given = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent }));
  if (given && isSpanContextValid(given)) span.addLink({ context: given });
}

/** The active trace id, for log lines; undefined when tracing is off. */
export function currentTraceId(): string | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  return active && isSpanContextValid(active) ? active.traceId : undefined;
}

/**
 * The `traceresponse` header of the active span (W3C Trace Context level 2); undefined when tracing
 * is off.
 */
export function traceResponse(): string | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  if (!active || !isSpanContextValid(active)) return undefined;
  const flags = active.traceFlags.toString(16).padStart(2, '0');
  return `00-${active.traceId}-${active.spanId}-${flags}`;
}

/** Names the active span of a request after its matched route. */
export function nameRequestSpan(method: string, route: string): void {
  const span = trace.getActiveSpan();
  span?.updateName(`${method} ${route}`);
  span?.setAttribute('http.route', route);
}

export interface SpanOptions {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: Link[];
  /** Continue this trace instead of the active one. */
  readonly parent?: TraceCarrier;
}

/** Runs `work` in a new span, which ends with it and records its failure. */
export async function inSpan<Value>(
  options: SpanOptions,
  work: (span: Span) => Promise<Value>,
): Promise<Value> {
  const span = startSpan(options);
  try {
    return await context.with(trace.setSpan(parentContext(options.parent), span), () => work(span));
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Runs `work` in this trace, unless another is active; adds no span. */
export function inTrace<Value>(carrier: TraceCarrier, work: () => Value): Value {
  return currentTraceId() ? work() : context.with(parentContext(carrier), work);
}

/** A span that the caller ends. */
export function startSpan(options: SpanOptions): Span {
  return tracer.startSpan(
    options.name,
    {
      kind: options.kind ?? SpanKind.INTERNAL,
      ...(options.attributes ? { attributes: options.attributes } : {}),
      ...(options.links ? { links: options.links } : {}),
    },
    parentContext(options.parent),
  );
}

export function failSpan(span: Span, error: unknown): void {
  span.setStatus({
    code: SpanStatusCode.ERROR,
    message: error instanceof Error ? error.name : 'unknown',
  });
}

/** The context of a span, as text. */
export function traceOf(span: Span): TraceCarrier {
  return carrierOf(trace.setSpan(context.active(), span));
}

function carrierOf(active: Context): TraceCarrier {
  const carrier: Record<string, string> = {};
  propagation.inject(active.setValue(staysInside, true), carrier);
  return carrier;
}

function parentContext(parent: TraceCarrier | undefined): Context {
  if (!parent?.traceparent) return context.active();
  return propagation.extract(context.active(), parent);
}
