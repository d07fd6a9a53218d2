import { type Batcher, BatcherFull, createBatcher } from '@inventory/runtime/concurrency';
import { withDeadline } from '@inventory/runtime/wait';
import type { Kafka } from 'kafkajs';
import { BusOverloaded } from '../bus.ts';
import { publishedMessages } from '../messaging-metrics.ts';
import type { WireRecord } from '../wire-record.ts';
import { explicitRetry } from './guards.ts';

const recordsPerSendMax = 500;
const bytesPerSendMax = 256 * 1024;
const recordsWaitingMax = 20_000;
const disconnectDeadlineMs = 5_000;

/** Sends records; groups what arrives while a send is under way, keeping order per topic. */
export interface RecordSender {
  /** Resolves when acknowledged by all in-sync replicas. */
  send(topic: string, records: readonly WireRecord[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * One batch per topic is in flight at a time, so a retried send cannot overtake a later one. The
 * producer is never idempotent: after a request timeout that mode reuses sequence numbers, and
 * the broker acknowledges a record it never wrote. Readers remove duplicates by id instead.
 */
export async function createRecordSender(kafka: Kafka): Promise<RecordSender> {
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    idempotent: false,
    metadataMaxAge: 60_000,
    retry: explicitRetry,
  });
  await producer.connect();
  const lanes = new Map<string, Batcher<WireRecord, undefined>>();

  async function sendAll(topic: string, records: readonly WireRecord[]): Promise<undefined[]> {
    for (const batch of splitByBytes(records)) {
      await producer.send({
        topic,
        acks: -1,
        timeout: 10_000,
        messages: batch.map(toKafkaMessage),
      });
    }
    publishedMessages.add(records.length, { 'messaging.destination.name': topic });
    return records.map(() => undefined);
  }

  function laneOf(topic: string): Batcher<WireRecord, undefined> {
    const known = lanes.get(topic);
    if (known) return known;
    const lane = createBatcher<WireRecord, undefined>({
      itemsMax: recordsPerSendMax,
      waitingMax: recordsWaitingMax,
      flush: (records) => sendAll(topic, records),
    });
    lanes.set(topic, lane);
    return lane;
  }

  return {
    async send(topic, records) {
      const lane = laneOf(topic);
      try {
        await Promise.all(records.map((record) => lane.add(record)));
      } catch (error) {
        throw error instanceof BatcherFull ? new BusOverloaded(topic) : error;
      }
    },
    async close() {
      const flushed = Promise.all([...lanes.values()].map((lane) => lane.idle()));
      await withDeadline(flushed, disconnectDeadlineMs, 'flushing the producer').catch(ignore);
      await withDeadline(producer.disconnect(), disconnectDeadlineMs, 'disconnecting').catch(
        ignore,
      );
    },
  };
}

/** Cuts a batch so that no request passes the byte limit; a single larger record goes alone. */
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

function toKafkaMessage(record: WireRecord) {
  return { key: record.key, value: record.value, headers: { ...record.headers } };
}

/** What is still unsent is unacknowledged: whoever waits for it asks again. */
function ignore(): void {}
