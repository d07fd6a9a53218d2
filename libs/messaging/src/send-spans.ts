import { messages as contracts } from '@inventory/contracts/messages';
import { failSpan, startSpan, traceOf } from '@inventory/runtime/tracing';
import { SpanKind } from '@opentelemetry/api';
import type { OutgoingMessage } from './bus.ts';

/**
 * Sends each message under its own producer span, whose context travels with the message. A message
 * from an outbox continues the trace under which it was written.
 */
export async function inSendSpans(
  messages: readonly OutgoingMessage[],
  send: (messages: readonly OutgoingMessage[]) => Promise<void>,
): Promise<void> {
  const spans = messages.map((message) => {
    const { topic } = contracts[message.type];
    return startSpan({
      name: `send ${topic}`,
      kind: SpanKind.PRODUCER,
      ...(message.trace ? { parent: message.trace } : {}),
      attributes: {
        'messaging.system': 'kafka',
        'messaging.operation.type': 'send',
        'messaging.operation.name': 'send',
        'messaging.destination.name': topic,
        'messaging.message.id': message.id,
      },
    });
  });
  const carrying = messages.map((message, index) => {
    const span = spans[index];
    // Where tracing is off a span has no context, and a stored trace is passed on unchanged.
    return span ? { ...message, trace: { ...message.trace, ...traceOf(span) } } : message;
  });
  try {
    await send(carrying);
  } catch (error) {
    for (const span of spans) failSpan(span, error);
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}
