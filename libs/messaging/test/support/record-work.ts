import type { MessageBus, ReceivedMessage, WorkConsumer } from '../../src/bus.ts';
import { workTopic } from './test-messages.ts';

/** A member of `group` that records what it handled. */
export async function recordWork(bus: MessageBus, options: Partial<WorkConsumer> = {}) {
  const handled: ReceivedMessage[] = [];
  const subscription = await bus.consume({
    group: 'workers',
    topics: [workTopic],
    ...options,
    onBatch: async (messages, reject, postpone) => {
      const postponed = new Set<ReceivedMessage>();
      await options.onBatch?.(messages, reject, (message) => {
        postponed.add(message);
        postpone(message);
      });
      handled.push(...messages.filter((message) => !postponed.has(message)));
    },
  });
  return { handled, stop: () => subscription.stop() };
}

export const idsOf = (messages: readonly ReceivedMessage[]) => messages.map(({ id }) => id);
