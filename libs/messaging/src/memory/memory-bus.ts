import type { TopicName } from '@inventory/contracts/topics';
import type { Logger } from '@inventory/runtime/logger';
import type { BroadcastConsumer, MessageBus, Subscription } from '../bus.ts';
import { inSendSpans } from '../send-spans.ts';
import { decode, encode, type WireRecord } from '../wire-record.ts';
import { createMemoryLog, type MemoryLog } from './memory-log.ts';
import { type MemoryGroup, type MemoryMember, startMemoryMember } from './memory-member.ts';

/** An in-process broker to which several buses connect. */
export interface MemoryBroker {
  readonly log: MemoryLog;
  /** The bus of one replica of one service. */
  connect(): MessageBus;
  /** Appends a record without validation against its contract. */
  append(topic: TopicName, record: WireRecord): void;
}

/**
 * An in-memory adapter with Kafka's semantics: at least once, order per key, one member per
 * partition, positions of the group. It passes the same contract suite.
 */
export function createMemoryBroker(logger: Logger, partitions = 4): MemoryBroker {
  const log = createMemoryLog(partitions);
  const groups = new Map<string, MemoryGroup>();
  const readers = new Set<BroadcastConsumer>();

  function groupOf(name: string): MemoryGroup {
    const known = groups.get(name);
    if (known) return known;
    const created: MemoryGroup = { offsets: new Map(), members: [] };
    groups.set(name, created);
    return created;
  }

  function append(topic: TopicName, record: WireRecord): void {
    const position = { topic, ...log.append(topic, record) };
    for (const group of groups.values()) for (const member of group.members) member.wake();
    const wanted = { topic, key: record.key };
    const listening = [...readers].filter(
      (reader) => reader.topics.includes(topic) && reader.wants?.(wanted) !== false,
    );
    if (listening.length === 0) return;
    const decoded = decode(record, position);
    if (decoded.result === 'undecodable')
      logger.error({ ...position, ...decoded }, 'broadcast record ignored');
    else for (const reader of listening) deliver(reader, decoded.message);
  }

  function deliver(
    reader: BroadcastConsumer,
    message: Parameters<typeof reader.onMessage>[0],
  ): void {
    try {
      reader.onMessage(message);
    } catch (error) {
      logger.error({ err: error, reader: reader.name }, 'broadcast record not handled');
    }
  }

  function connect(): MessageBus {
    const members = new Set<MemoryMember>();
    const reading = new Set<BroadcastConsumer>();
    const leave = async (member: MemoryMember) => {
      await member.stop();
      members.delete(member);
    };
    const stopReading = (reader: BroadcastConsumer) => {
      readers.delete(reader);
      reading.delete(reader);
    };
    return {
      publish: (messages) =>
        inSendSpans(messages, async (carrying) => {
          for (const { topic, record } of carrying.map(encode)) append(topic, record);
        }),
      async consume(work): Promise<Subscription> {
        const member = startMemoryMember(log, groupOf(work.group), work, logger);
        members.add(member);
        return { stop: () => leave(member) };
      },
      async broadcast(broadcast): Promise<Subscription> {
        const reader = { ...broadcast };
        readers.add(reader);
        reading.add(reader);
        return { stop: async () => stopReading(reader) };
      },
      health() {
        const problems = [...members].flatMap((member) => member.problems());
        return { started: true, ready: problems.length === 0, alive: true, problems };
      },
      async close() {
        for (const reader of reading) stopReading(reader);
        await Promise.all([...members].map(leave));
      },
    };
  }

  return { log, connect, append };
}
