import type { OutgoingMessage, ReceivedMessage } from '@inventory/messaging/bus';
import { createLogger } from '@inventory/runtime/logger';
import { newAccountId, newRequestId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import {
  type Context,
  propagation,
  type SpanContext,
  type TextMapPropagator,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { neverOutdated } from '../../test/support/loading.ts';
import { neverRejected } from '../../test/support/no-quarantine.ts';
import { noDetails } from '../accounts/entry.domain.ts';
import type { CommitCommands } from './commit-commands.ts';
import { createOnBillingCommands } from './on-billing-commands.ts';

/** The W3C header, and nothing else. */
const propagator: TextMapPropagator<Record<string, string>> = {
  fields: () => ['traceparent'],
  inject(context, carrier) {
    const span = trace.getSpanContext(context);
    if (span) carrier['traceparent'] = `00-${span.traceId}-${span.spanId}-01`;
  },
  extract(context, carrier) {
    const [, traceId, spanId] = carrier['traceparent']?.split('-') ?? [];
    if (!traceId || !spanId) return context;
    return trace.setSpanContext(context, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
};

/** Spans that do nothing but belong to a trace. */
function createTracer(started: { name: string; parent: SpanContext | undefined }[]): Tracer {
  const startSpan: Tracer['startSpan'] = (name, _options, context?: Context) => {
    const parent = context && trace.getSpanContext(context);
    started.push({ name, parent });
    const spanId = String(started.length).padStart(16, '0');
    return trace.wrapSpanContext({
      traceId: parent?.traceId ?? 'f'.repeat(32),
      spanId,
      traceFlags: 1,
    });
  };
  return { startSpan } as Tracer;
}

describe('The trace of a billing command', () => {
  const started: { name: string; parent: SpanContext | undefined }[] = [];

  beforeAll(() => {
    const tracer = createTracer(started);
    trace.setGlobalTracerProvider({ getTracer: () => tracer });
    propagation.setGlobalPropagator(propagator);
  });
  afterAll(() => {
    trace.disable();
    propagation.disable();
  });

  test('continues in its outcome, also where commands of other traces are committed with it', async () => {
    const sent: OutgoingMessage[] = [];
    const commitCommands: CommitCommands = async (items, publish) => {
      await publish(
        items.map((item, index) => ({
          item,
          result: 'recorded',
          entry: entryOf(index),
        })),
      );
      return { quarantined: [], outdated: [] };
    };
    const onBatch = createOnBillingCommands(
      commitCommands,
      only({ publish: async (published) => void sent.push(...published) }),
      createLogger({ service: 'test', level: 'silent' }),
    );
    const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];

    await onBatch([messageOf(first), messageOf(second)], neverRejected, neverOutdated);

    const traceIds = sent.map((message) => message.trace?.traceparent?.split('-')[1]);
    expect(traceIds).toEqual([first, second]);
    expect(started.filter(({ name }) => name === 'process billing.commands.v1')).toMatchObject([
      { parent: { traceId: first, spanId: '1'.repeat(16) } },
      { parent: { traceId: second, spanId: '1'.repeat(16) } },
    ]);
    // The work of the batch is seen in the trace of its first command.
    expect(started.at(-1)).toMatchObject({
      name: 'decide billing commands',
      parent: { traceId: first },
    });
  });
});

function messageOf(traceId: string | undefined): ReceivedMessage {
  const requestId = newRequestId();
  const body = {
    commandId: `grant:${requestId}`,
    accountId: newAccountId(),
    requestId,
    asset: 'credits',
    amount: 1,
    reason: 'top-up',
  };
  const message = { type: 'billing.grant.v1', id: 'id', key: body.accountId, body, offset: '0' };
  const parent = { traceparent: `00-${traceId}-${'1'.repeat(16)}-01` };
  return { ...message, trace: parent, topic: 'billing.commands.v1' } as unknown as ReceivedMessage;
}

function entryOf(index: number) {
  const nothing = { available: 0, held: 0, consumed: 0, expired: 0, issued: 0 };
  return {
    ...noDetails,
    seq: index + 1,
    atMs: 0,
    kind: 'grant',
    command: 'grant',
    commandId: `grant:${index}`,
    asset: 'credits',
    change: nothing,
    after: nothing,
    amount: 1,
    reason: 'top-up',
    creditsAvailable: null,
    lowBalance: null,
    opening: [],
  } as const;
}
