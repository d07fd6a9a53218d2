import { withDeadline } from '@inventory/runtime/wait';
import type { BroadcastConsumer } from '../bus.ts';
import { deadLetters } from '../messaging-metrics.ts';
import { decode, type Position } from '../wire-record.ts';
import type { ReaderContext } from './consumer-context.ts';
import { timingOf } from './timing.ts';
import { logicalTopic, physicalTopic } from './topic-names.ts';
import type { FetchedBatch, ReadRecord, WireClient } from './wire-client.ts';
import type { KafkaSubscription } from './work-consumer.ts';

/** The next offset of each partition, by `topic/partition`. */
export type Positions = Map<string, string>;

/**
 * Reads whole topics, from the present end or from the `given` positions, which are then advanced. Each
 * process start has a group of its own, so that no replica waits for another's session, and commits
 * nothing, so that an empty group leaves no state. Positions are kept in memory and set after every
 * join: the client itself would restart at the end and skip messages published meanwhile.
 */
export async function startBroadcastConsumer(
  context: ReaderContext,
  broadcast: BroadcastConsumer,
  groupId: string,
  given?: Positions,
): Promise<KafkaSubscription> {
  const { wire, topicPrefix } = context;
  const { logger } = wire.connection;
  const { requestTimeoutMs, fetchWaitMs } = timingOf(wire.connection.timing);
  const topics = broadcast.topics.map((topic) => physicalTopic(topicPrefix, topic));
  const positions = given ?? (await currentEnds(wire, topics));
  const member = await wire.openMember({
    groupId,
    topics,
    fetchWaitMs,
    // A partition that was added since the start is read from its beginning.
    startOf: (topic, partition) => positions.get(`${topic}/${partition}`) ?? '0',
  });

  function receive(record: ReadRecord, position: Position): void {
    const decoded = decode(record, { ...position, writtenAtMs: record.writtenAtMs });
    if (decoded.result === 'undecodable') {
      deadLetters.add(1, { 'messaging.destination.name': position.topic, reason: decoded.reason });
      logger.error({ ...position, ...decoded }, 'broadcast record ignored');
      return;
    }
    try {
      broadcast.onMessage(decoded.message);
    } catch (error) {
      logger.error({ err: error, ...position }, 'broadcast record not handled');
    }
  }

  async function handle(batch: FetchedBatch): Promise<void> {
    const topic = logicalTopic(topicPrefix, batch.topic);
    for (const record of batch.records) {
      const position = { topic, partition: batch.partition, offset: record.offset };
      if (broadcast.wants?.({ topic, key: record.key }) !== false) receive(record, position);
    }
    // Nothing runs in between: the records of a batch are received in one tick.
    const last = batch.records.at(-1);
    if (last === undefined) return;
    const next = (BigInt(last.offset) + 1n).toString();
    positions.set(`${batch.topic}/${batch.partition}`, next);
    batch.accept();
  }

  await member.run({ batch: handle });
  try {
    await withDeadline(member.watch.started(), 6 * requestTimeoutMs, `joining ${groupId}`);
  } catch (error) {
    await member.stop();
    throw error;
  }
  return { watch: member.watch, problems: () => [], stop: member.stop };
}

/** The end offset of each partition. */
function currentEnds(wire: WireClient, topics: readonly string[]): Promise<Positions> {
  return wire.read(async (cluster) => {
    const ends = new Map<string, string>();
    for (const topic of topics) {
      for (const { partition, high } of await cluster.bounds(topic)) {
        ends.set(`${topic}/${partition}`, high);
      }
    }
    return ends;
  });
}
