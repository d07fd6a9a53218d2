import type { TopicName } from '@inventory/contracts/topics';
import type { Logger } from '@inventory/runtime/logger';
import type { MessageBus, ReceivedMessage } from '../bus.ts';
import { decode, encode } from '../wire-record.ts';
import { createMemoryLog, type MemoryLog } from './memory-log.ts';
import { type MemoryGroup, startMemoryMember } from './memory-member.ts';

/** A broker in this process: what several buses connect to. */
export interface MemoryBroker {
  readonly log: MemoryLog;
  /** A bus as one replica of one service would have it. */
  connect(): MessageBus;
}

/**
 * An in-memory adapter with the same rules as Kafka: at least once, order per key, one member per
 * partition, the position kept by the group. It passes the same contract suite.
 */
export function createMemoryBroker(logger: Logger, partitions = 4): MemoryBroker {
  const log = createMemoryLog(partitions);
  const groups = new Map<string, MemoryGroup>();
  const listeners = new Set<(message: ReceivedMessage) => void>();

  function groupOf(name: string): MemoryGroup {
    const known = groups.get(name);
    if (known) return known;
    const created: MemoryGroup = { offsets: new Map(), members: [] };
    groups.set(name, created);
    return created;
  }

  function append(topic: TopicName, record: Parameters<MemoryLog['append']>[1]): void {
    const position = log.append(topic, record);
    const decoded = decode(record, { topic, ...position });
    if (decoded.ok) for (const listener of listeners) listener(decoded.message);
  }

  function connect(): MessageBus {
    const stops = new Set<() => Promise<void>>();
    const subscription = (stop: () => Promise<void>) => {
      stops.add(stop);
      return { stop };
    };
    return {
      async publish(messages) {
        for (const { topic, record } of messages.map(encode)) append(topic, record);
        for (const group of groups.values()) for (const member of group.members) member.wake();
      },
      consume: async (work) =>
        subscription(startMemoryMember(log, groupOf(work.group), work, logger).stop),
      async broadcast(broadcast) {
        const listener = (message: ReceivedMessage) => {
          if (broadcast.topics.includes(message.topic)) broadcast.onMessage(message);
        };
        listeners.add(listener);
        return subscription(async () => void listeners.delete(listener));
      },
      health: () => ({ ready: true, alive: true, problems: [] }),
      async close() {
        await Promise.all([...stops].map((stop) => stop()));
        stops.clear();
      },
    };
  }

  return { log, connect };
}
