import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { type Batcher, createBatcher } from '@inventory/runtime/concurrency';
import { withDeadline } from '@inventory/runtime/wait';
import { BusOverloaded } from '../bus.ts';
import { sendDuration, sentMessages } from '../messaging-metrics.ts';
import type { WireRecord } from '../wire-record.ts';
import { logicalTopic } from './topic-names.ts';
import type { WireProducer } from './wire-client.ts';

export const recordsPerSendMax = 500;
const bytesPerSendMax = 256 * 1024;
export const recordsWaitingMax = 20_000;
const flushDeadlineMs = 2_000;
const disconnectDeadlineMs = 2_000;

export interface TopicRecords {
  readonly topic: string;
  readonly records: readonly WireRecord[];
}

/** Sends records; batches those that arrive during a send, keeping order per topic. */
export type RecordSender = ReturnType<typeof createRecordSender>;

/**
 * One batch per topic is in flight at a time, so a retried send cannot overtake a later one. The
 * topics' prefix is left out of metrics.
 */
export function createRecordSender(producer: WireProducer, topicPrefix = '') {
  const batchers = new Map<string, Batcher<WireRecord, undefined>>();

  async function sendBatch(topic: string, batch: readonly WireRecord[]): Promise<void> {
    const measured = measureSend(logicalTopic(topicPrefix, topic), batch.length);
    try {
      await producer.send(topic, batch);
      measured.ended();
    } catch (error) {
      measured.ended(error);
      throw error;
    }
  }

  async function flush(topic: string, records: readonly WireRecord[]): Promise<undefined[]> {
    for (const batch of splitByBytes(records)) await sendBatch(topic, batch);
    return records.map(() => undefined);
  }

  function batcherOf(topic: string): Batcher<WireRecord, undefined> {
    const known = batchers.get(topic);
    if (known) return known;
    const batcher = createBatcher<WireRecord, undefined>({
      itemsMax: recordsPerSendMax,
      waitingMax: recordsWaitingMax,
      flush: (records) => flush(topic, records),
    });
    batchers.set(topic, batcher);
    return batcher;
  }

  return {
    /**
     * Resolves when acknowledged by all in-sync replicas. Rejects with {@link BusOverloaded} when the
     * queue has no capacity for all records; nothing is sent then.
     */
    async send(batches: readonly TopicRecords[]): Promise<void> {
      for (const { topic, records } of batches) {
        if (batcherOf(topic).waiting + records.length > recordsWaitingMax) {
          throw new BusOverloaded(`the send queue of ${topic} is full`);
        }
      }
      await Promise.all(
        batches.flatMap(({ topic, records }) =>
          records.map((record) => batcherOf(topic).add(record)),
        ),
      );
    },
    /** Waits for running sends, then disconnects; both within their deadlines. */
    async close(): Promise<void> {
      const flushed = Promise.all([...batchers.values()].map((batcher) => batcher.idle()));
      await withDeadline(flushed, flushDeadlineMs, 'flushing the producer').catch(ignore);
      await withDeadline(producer.close(), disconnectDeadlineMs, 'disconnecting').catch(ignore);
    },
  };
}

function measureSend(topic: string, records: number) {
  const startMs = monotonicNow();
  return {
    ended(error?: unknown): void {
      const destination = { 'messaging.destination.name': topic };
      const labels =
        error === undefined
          ? destination
          : { ...destination, 'error.type': error instanceof Error ? error.name : 'Unknown' };
      sendDuration.record(elapsedSince(startMs) / 1_000, labels);
      sentMessages.add(records, labels);
    },
  };
}

/** Splits a batch by the byte limit of a request; a single larger record is sent alone. */
export function splitByBytes(records: readonly WireRecord[]): WireRecord[][] {
  const batches: WireRecord[][] = [];
  let current: WireRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    if (current.length > 0 && bytes + record.value.length > bytesPerSendMax) {
      batches.push(current);
      current = [];
      bytes = 0;
    }
    current.push(record);
    bytes += record.value.length;
  }
  if (current.length > 0) batches.push(current);
  return batches;
}

/** Unsent records are unacknowledged: their requester retries. */
function ignore(): void {}
