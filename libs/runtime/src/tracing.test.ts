import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { context, INVALID_SPAN_CONTEXT, trace } from '@opentelemetry/api';
import { startNodeSdk } from '@opentelemetry/sdk-node';
import {
  currentTrace,
  currentTraceId,
  detachCallerTrace,
  failSpan,
  inSpan,
  inTrace,
  markFromOutside,
  startSpan,
  type TraceCarrier,
  traceOf,
} from './tracing.ts';

const stored: TraceCarrier = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=value',
};

test('a request has the trace of its caller, unless its connection is from outside', () => {
  const [inside, outside] = [new Socket(), new Socket()];
  markFromOutside(outside);

  const tracesOf = [inside, outside].map((socket) => {
    const request = new IncomingMessage(socket);
    Object.assign(request.headers, { ...stored, baggage: 'spy=1', accept: '*/*' });
    detachCallerTrace(request);
    return Object.keys(request.headers).toSorted();
  });

  expect(tracesOf).toEqual([['accept', 'baggage', 'traceparent', 'tracestate'], ['accept']]);
});

describe('while tracing is off', () => {
  test('no context is carried, and work runs unchanged', async () => {
    expect(currentTrace()).toEqual({});
    expect(currentTraceId()).toBeUndefined();
    expect(await inSpan({ name: 'work' }, async () => 7)).toBe(7);
    expect(traceOf(startSpan({ name: 'work' }))).toEqual({});
  });
});

describe('while tracing is on', () => {
  interface Ended {
    readonly name: string;
    readonly parentSpanContext?: { readonly spanId: string };
    readonly status: { readonly code: number; readonly message?: string };
    spanContext(): { readonly traceId: string };
  }
  const ended: Ended[] = [];
  let sdk: ReturnType<typeof startNodeSdk>;

  beforeAll(() => {
    sdk = startNodeSdk({
      spanProcessors: [
        {
          onStart() {},
          onEnd: (span) => void ended.push(span),
          forceFlush: async () => {},
          shutdown: async () => {},
        },
      ],
      metricReaders: [],
      logRecordProcessors: [],
      instrumentations: [],
    });
  });
  afterAll(() => sdk.shutdown());
  beforeEach(() => void ended.splice(0));

  const endedSpan = (name: string) => ended.find((span) => span.name === name);

  test('a stored carrier is continued, whatever context is active then', async () => {
    await inSpan({ name: 'worker' }, () =>
      inSpan({ name: 'claimed', parent: stored }, async () => {
        expect(currentTraceId()).toBe('0af7651916cd43dd8448eb211c80319c');
        expect(currentTrace().tracestate).toBe('vendor=value');
      }),
    );

    expect(endedSpan('claimed')?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(endedSpan('worker')?.spanContext().traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
  });

  test('work without an active trace runs in the stored one; an active trace is kept', async () => {
    expect(inTrace(stored, currentTraceId)).toBe('0af7651916cd43dd8448eb211c80319c');
    await inSpan({ name: 'consumer' }, async () => {
      const active = currentTraceId();
      expect(inTrace(stored, currentTraceId)).toBe(active);
    });
    expect(ended.map(({ name }) => name)).toEqual(['consumer']);
  });

  test('the active context is carried as text and is the parent after that', async () => {
    const carrier = await inSpan({ name: 'outer' }, async () => currentTrace());
    await inSpan({ name: 'inner', parent: carrier }, async () => {});

    expect(carrier.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(endedSpan('inner')?.spanContext().traceId).toBe(
      endedSpan('outer')?.spanContext().traceId,
    );
  });

  test.each([
    [{}],
    [{ traceparent: '' }],
    [{ traceparent: 'nonsense' }],
    [{ traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01` }],
  ])('a carrier that holds no trace begins a new one (%j)', async (parent) => {
    await inSpan({ name: 'alone', parent }, async () => {
      expect(currentTraceId()).toMatch(/^[0-9a-f]{32}$/);
    });

    expect(endedSpan('alone')?.parentSpanContext).toBeUndefined();
  });

  test('a span that is not recorded, as without an exporter, has no trace id', () => {
    const unrecorded = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

    context.with(trace.setSpan(context.active(), unrecorded), () => {
      expect(trace.getActiveSpan()).toBe(unrecorded);
      expect(currentTraceId()).toBeUndefined();
    });
  });

  test('a failure is recorded by its name, not its message, and is rethrown', async () => {
    const failing = inSpan({ name: 'failing' }, async () => {
      throw new RangeError('account 7 has 3 credits');
    });

    await expect(failing).rejects.toThrow(RangeError);
    expect(endedSpan('failing')?.status).toEqual({ code: 2, message: 'RangeError' });
  });

  test('the context of a span that is not active can be carried too', () => {
    const span = startSpan({ name: 'send', parent: stored });
    const carrier = traceOf(span);
    failSpan(span, 'no error at all');
    span.end();

    expect(carrier.traceparent).toContain('0af7651916cd43dd8448eb211c80319c');
    expect(carrier.traceparent).toContain(span.spanContext().spanId);
    expect(trace.getActiveSpan()).toBeUndefined();
    expect(endedSpan('send')?.status.message).toBe('unknown');
  });
});
