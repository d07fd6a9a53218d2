import type { MessageBody, MessageType } from '@inventory/contracts/messages';
import type { TopicName } from '@inventory/contracts/topics';
import type { MessageBus, ReceivedMessage } from '@inventory/messaging/bus';

/** All messages sent to some topics since the recorder started. */
export interface MessageRecorder {
  readonly all: readonly ReceivedMessage[];
  of<Type extends MessageType>(type: Type): readonly MessageBody<Type>[];
}

export async function recordMessages(
  bus: MessageBus,
  topics: readonly TopicName[],
): Promise<MessageRecorder> {
  const all: ReceivedMessage[] = [];
  await bus.broadcast({ name: 'recorder', topics, onMessage: (message) => all.push(message) });
  return {
    all,
    of: <Type extends MessageType>(type: Type) =>
      all
        .filter((message) => message.type === type)
        .map((message) => message.body as MessageBody<Type>),
  };
}
