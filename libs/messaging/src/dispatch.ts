import type { MessageType } from '@inventory/contracts/messages';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { inSpan } from '@inventory/runtime/tracing';
import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { ReceivedMessage, ReceivedMessageOf } from './bus.ts';

/** A service's handler of each message type; other types of its topics are ignored. */
export type Handlers = {
  readonly [Type in MessageType]?: (message: ReceivedMessageOf<Type>) => Promise<void>;
};

/**
 * A batch handler that runs messages with one ordering key in order and others concurrently, each
 * inside a span that continues its sender's trace. The ordering key is the record's key unless
 * `orderingKeyOf` gives a finer one.
 */
export function byKey(
  handlers: Handlers,
  concurrencyMax: number,
  orderingKeyOf: (message: ReceivedMessage) => string = ({ topic, key }) => `${topic}/${key}`,
): (batch: readonly ReceivedMessage[]) => Promise<void> {
  return async (batch) => {
    const handled = batch.filter((message) => handlers[message.type] !== undefined);
    const groups = Map.groupBy(handled, orderingKeyOf);
    await forEachLimited(groups.values(), concurrencyMax, async (group) => {
      for (const message of group) await handleOne(handlers, message);
    });
  };
}

/** Runs `work` as the processing of one message: its span continues the sender's trace. */
export function inMessageSpan<Value>(
  message: ReceivedMessage,
  work: () => Promise<Value>,
): Promise<Value> {
  return inSpan(
    {
      name: `process ${message.topic}`,
      kind: SpanKind.CONSUMER,
      parent: message.trace,
      attributes: messageAttributes(message),
    },
    work,
  );
}

export function messageAttributes(message: ReceivedMessage): Attributes {
  return {
    'messaging.system': 'kafka',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': message.topic,
    'messaging.destination.partition.id': String(message.partition),
    'messaging.kafka.offset': message.offset,
    'messaging.message.id': message.id,
    'inventory.message.type': message.type,
  };
}

async function handleOne(handlers: Handlers, message: ReceivedMessage): Promise<void> {
  const handler = handlers[message.type] as
    | ((message: ReceivedMessage) => Promise<void>)
    | undefined;
  if (handler) await inMessageSpan(message, () => handler(message));
}
