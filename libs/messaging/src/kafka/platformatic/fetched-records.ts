import { IS_CONTROL, type KafkaRecord, type RecordsBatch } from '@platformatic/kafka';
import type { ReadRecord } from '../wire-client.ts';

/** Bit of the attributes of a batch. */
const logAppendTime = 0b1000;

/** A partition with the offset that is read next. */
export interface AssignedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

export interface FetchedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly ReadRecord[];
  /** The offset after them. */
  readonly next: bigint;
  readonly behind: number;
}

interface FetchResponse {
  readonly responses: readonly {
    readonly topicId: string;
    readonly partitions: readonly {
      readonly partitionIndex: number;
      readonly highWatermark: bigint;
      readonly records?: readonly RecordsBatch[] | null | undefined;
    }[];
  }[];
}

/** What a response has of the wanted partitions. It may name others, of an earlier request. */
export function readFetched(
  { responses }: FetchResponse,
  wanted: readonly AssignedPartition[],
  idOf: (topic: string) => string,
): FetchedPartition[] {
  return wanted.flatMap(({ topic, partition, offset }) => {
    const found = responses
      .filter(({ topicId }) => topicId === idOf(topic))
      .flatMap(({ partitions }) => partitions)
      .find(({ partitionIndex }) => partitionIndex === partition);
    const batches = found?.records ?? [];
    const last = batches.at(-1);
    if (found === undefined || last === undefined) return [];
    const next = last.firstOffset + BigInt(last.lastOffsetDelta) + 1n;
    const records = batches.filter(hasRecords).flatMap((batch) => readBatch(batch, offset));
    return [{ topic, partition, records, next, behind: Number(found.highWatermark - next) }];
  });
}

function hasRecords({ attributes }: RecordsBatch): boolean {
  return (attributes & IS_CONTROL) === 0;
}

/** Whether the broker set the time of the batch; those of its records are as they were sent. */
function isTimedByBroker({ attributes }: RecordsBatch): boolean {
  return (attributes & logAppendTime) !== 0;
}

/** The broker answers with whole batches, also where the wanted offset is inside of one. */
function readBatch(batch: RecordsBatch, from: bigint): ReadRecord[] {
  return batch.records.flatMap((record) => {
    const offset = batch.firstOffset + BigInt(record.offsetDelta);
    if (offset < from) return [];
    const sentAt = batch.firstTimestamp + record.timestampDelta;
    const writtenAtMs = Number(isTimedByBroker(batch) ? batch.maxTimestamp : sentAt);
    return [{ ...readRecord(record), offset: String(offset), writtenAtMs }];
  });
}

/** A record as the broker sent it. Of a header that is repeated, the first value. */
function readRecord({ key, value, headers }: KafkaRecord) {
  const texts: Record<string, string> = {};
  for (const [name, text] of headers) {
    if (name && text) texts[name.toString()] ??= text.toString();
  }
  return { key: key?.toString() ?? '', value: value ?? Buffer.alloc(0), headers: texts };
}
