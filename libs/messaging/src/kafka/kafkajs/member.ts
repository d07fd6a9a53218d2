import type { Consumer, EachBatchPayload } from 'kafkajs';
import type {
  GroupMember,
  KafkaConnection,
  MemberHandlers,
  MemberOptions,
} from '../wire-client.ts';
import { fromKafkaMessage } from './kafka-records.ts';
import { openConsumer } from './running-consumer.ts';

export async function openKafkajsMember(
  connection: KafkaConnection,
  options: MemberOptions,
): Promise<GroupMember> {
  const { topics, startOf } = options;
  const running = await openConsumer(connection, options);
  const { consumer, watch } = running;
  if (startOf) seekAfterJoins(consumer, startOf);

  function listen({ rebalancing, joined }: MemberHandlers): void {
    if (rebalancing) consumer.on(consumer.events.REBALANCING, rebalancing);
    if (joined) consumer.on(consumer.events.GROUP_JOIN, joined);
  }

  return {
    watch,
    async run(handlers) {
      listen(handlers);
      await running.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 16,
        eachBatch: (payload) => handleBatch(payload, handlers),
      });
    },
    pause(topic, partition) {
      unlessRestarting(() => consumer.pause([{ topic, partitions: [partition] }]));
    },
    resume(topic, partition) {
      unlessRestarting(() => consumer.resume([{ topic, partitions: [partition] }]));
    },
    pauseAll() {
      unlessRestarting(() => consumer.pause(topics.map((topic) => ({ topic }))));
    },
    commit: (positions) => consumer.commitOffsets([...positions]),
    stop: running.stop,
  };
}

/** The client itself would restart at the end and skip messages published meanwhile. */
function seekAfterJoins(consumer: Consumer, startOf: NonNullable<MemberOptions['startOf']>): void {
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    for (const [topic, partitions] of Object.entries(payload.memberAssignment)) {
      for (const partition of partitions) {
        consumer.seek({ topic, partition, offset: startOf(topic, partition) });
      }
    }
  });
}

/** Never throws: the client treats some errors as unrecoverable and stops the consumer. */
async function handleBatch(
  { batch, resolveOffset }: EachBatchPayload,
  handlers: MemberHandlers,
): Promise<void> {
  const last = batch.messages.at(-1);
  if (last === undefined) return;
  await handlers.batch({
    topic: batch.topic,
    partition: batch.partition,
    records: batch.messages.map((message) => ({
      ...fromKafkaMessage(message),
      offset: message.offset,
      writtenAtMs: Number(message.timestamp),
    })),
    lag: Number(batch.offsetLag()),
    accept: () => resolveOffset(last.offset),
  });
}

/** While the client restarts itself it fetches nothing, and it forgets its pauses. */
function unlessRestarting(change: () => void): void {
  try {
    change();
  } catch {
    // The client throws while it has not joined.
  }
}
