import { type ClusterMetadata, type Consumer, ListOffsetTimestamps } from '@platformatic/kafka';
import type { MemberOptions } from '../wire-client.ts';
import { type AssignedPartition, type FetchedPartition, readFetched } from './fetched-records.ts';

export type PlainConsumer = Consumer<Buffer, Buffer, Buffer, Buffer>;
type FetchRequest = Parameters<PlainConsumer['fetch']>[0];

export interface FetchOptions extends Pick<MemberOptions, 'fetchWaitMs'> {
  readonly consumer: PlainConsumer;
  /** Apart from heartbeats and commits, which would wait for a fetch on its connection. */
  readonly connectionPool: NonNullable<FetchRequest['connectionPool']>;
}

/** One request to one broker. */
export interface BrokerFetch {
  readonly node: number;
  readonly wanted: readonly AssignedPartition[];
  readonly metadata: ClusterMetadata;
}

const bytesMax = 10 * 1024 * 1024;
/** Bounds the bytes of each partition in one fetch, so that no partition waits long for another. */
const bytesPerPartitionMax = 256 * 1024;
/** Positions beyond the end of a truncated log are out of range. */
const anyEpoch = { currentLeaderEpoch: -1, lastFetchedEpoch: -1 } as const;

export async function fetchFromBroker(
  { consumer, connectionPool, fetchWaitMs }: FetchOptions,
  { node, wanted, metadata }: BrokerFetch,
): Promise<FetchedPartition[]> {
  const idOf = (topic: string) => metadata.topics.get(topic)?.id ?? '';
  const topics = [...Map.groupBy(wanted, ({ topic }) => topic)].map(([topic, partitions]) => ({
    topicId: idOf(topic),
    partitions: partitions.map(({ partition, offset }) => ({
      ...anyEpoch,
      partition,
      fetchOffset: offset,
      partitionMaxBytes: bytesPerPartitionMax,
    })),
  }));
  const response = await consumer.fetch({
    node,
    topics,
    maxWaitTime: fetchWaitMs,
    minBytes: 1,
    maxBytes: bytesMax,
    connectionPool,
  });
  return readFetched(response, wanted, idOf);
}

/** Those of which the next record has expired, or was lost: reading continues at the first kept. */
export async function movedIntoRange(
  consumer: PlainConsumer,
  wanted: readonly AssignedPartition[],
): Promise<AssignedPartition[]> {
  const topics = [...new Set(wanted.map(({ topic }) => topic))];
  const low = await consumer.listOffsets({ topics, timestamp: ListOffsetTimestamps.EARLIEST });
  const high = await consumer.listOffsets({ topics, timestamp: ListOffsetTimestamps.LATEST });
  return wanted.flatMap(({ topic, partition, offset }) => {
    const first = low.get(topic)?.[partition] ?? offset;
    const last = high.get(topic)?.[partition] ?? offset;
    return offset < first || offset > last ? [{ topic, partition, offset: first }] : [];
  });
}
