import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { pause } from '@inventory/runtime/wait';
import { Admin, ListOffsetTimestamps } from '@platformatic/kafka';
import type { ClusterReads, KafkaConnection } from '../wire-client.ts';
import { clientOptions, explained, isTransient } from './client.ts';

const triesMax = 11;
const backoff = { firstMs: 50, maxMs: 2_000 } as const;

/** Runs administrative reads. Transient errors are retried. */
export async function readCluster<Value>(
  connection: KafkaConnection,
  ask: (cluster: ClusterReads) => Promise<Value>,
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await readOnce(connection, (admin) => ask(readsOf(admin)));
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!(isTransient(cause) || isUnknownTopic(cause)) || tries === triesMax) throw error;
      await pause(jitteredDelayMs(backoff, tries));
    }
  }
}

/** One attempt, over connections of its own. */
export async function readOnce<Value>(
  connection: KafkaConnection,
  ask: (admin: Admin) => Promise<Value>,
): Promise<Value> {
  const options = clientOptions(connection);
  const admin = new Admin(options);
  try {
    return await ask(admin);
  } catch (error) {
    throw explained(error, options.context);
  } finally {
    await admin.close();
  }
}

/** Not every broker knows a topic that was just created. */
function isUnknownTopic(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Unknown topic ');
}

function readsOf(admin: Admin): ClusterReads {
  async function partitionsOf(topic: string): Promise<number[]> {
    const { topics } = await admin.metadata({ topics: [topic] });
    return Array.from({ length: topics.get(topic)?.partitionsCount ?? 0 }, (_, index) => index);
  }

  async function offsetsAt(topic: string, partitions: readonly number[], timestamp: bigint) {
    const asked = partitions.map((partitionIndex) => ({ partitionIndex, timestamp }));
    const [listed] = await admin.listOffsets({ topics: [{ name: topic, partitions: asked }] });
    return new Map(
      listed?.partitions.map(({ partitionIndex, offset }) => [partitionIndex, String(offset)]),
    );
  }

  return {
    topics: () => admin.listTopics(),
    async bounds(topic) {
      const partitions = await partitionsOf(topic);
      const low = await offsetsAt(topic, partitions, ListOffsetTimestamps.EARLIEST);
      const high = await offsetsAt(topic, partitions, ListOffsetTimestamps.LATEST);
      return partitions.map((partition) => ({
        partition,
        low: low.get(partition) ?? '0',
        high: high.get(partition) ?? '0',
      }));
    },
    async committed(groupId, topic) {
      const partitionIndexes = await partitionsOf(topic);
      const [group] = await admin.listConsumerGroupOffsets({
        groups: [{ groupId, topics: [{ name: topic, partitionIndexes }] }],
      });
      return (group?.topics ?? []).flatMap(({ partitions }) =>
        partitions.map(({ partitionIndex, committedOffset }) => ({
          partition: partitionIndex,
          offset: String(committedOffset),
        })),
      );
    },
  };
}
