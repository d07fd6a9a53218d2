import type { TopicName } from '@inventory/contracts/topics';
import type { PositionedRecord } from '../partition-work.ts';
import type { WireRecord } from '../wire-record.ts';

/** Topics as arrays of records. */
export interface MemoryLog {
  readonly partitions: number;
  append(topic: string, record: WireRecord): { partition: number; offset: string };
  read(topic: TopicName, partition: number, from: number, limit: number): PositionedRecord[];
  end(topic: TopicName, partition: number): number;
  /** All records of a topic or dead-letter topic; for assertions. */
  records(topic: string): readonly WireRecord[];
}

export function createMemoryLog(partitions: number): MemoryLog {
  const topics = new Map<string, WireRecord[][]>();

  function partitionsOf(topic: string): WireRecord[][] {
    const known = topics.get(topic);
    if (known) return known;
    const created = Array.from({ length: partitions }, (): WireRecord[] => []);
    topics.set(topic, created);
    return created;
  }

  return {
    partitions,
    append(topic, record) {
      const partition = partitionOf(record.key, partitions);
      const records = partitionsOf(topic)[partition] ?? [];
      return { partition, offset: String(records.push(record) - 1) };
    },
    read(topic, partition, from, limit) {
      const records = partitionsOf(topic)[partition] ?? [];
      return records.slice(from, from + limit).map((record, index) => ({
        record,
        position: { topic, partition, offset: String(from + index) },
      }));
    },
    end: (topic, partition) => partitionsOf(topic)[partition]?.length ?? 0,
    records: (topic) => partitionsOf(topic).flat(),
  };
}

function partitionOf(key: string, partitions: number): number {
  let hash = 2_166_136_261;
  for (const character of key) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return (hash >>> 0) % partitions;
}
