import { deadLetterTopic, type TopicName } from '@inventory/contracts/topics';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Logger } from '@inventory/runtime/logger';
import { createSemaphore } from '@inventory/runtime/semaphore';
import { pause, withDeadline } from '@inventory/runtime/wait';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { WorkConsumer } from '../bus.ts';
import { deadLetters } from '../messaging-metrics.ts';
import { createPartitionWork } from '../partition-work.ts';
import { handlerBackoff } from '../retry-policy.ts';
import type { WireRecord } from '../wire-record.ts';
import { logicalTopic, physicalTopic, toWireRecord } from './kafka-records.ts';
import { measureConsumer } from './measure-consumer.ts';
import type { OffsetCommits } from './offset-commits.ts';
import { createPartitionBackpressure } from './partition-backpressure.ts';
import { type FetchedRecord, openPartitionLine, type PartitionLine } from './partition-line.ts';
import type { RecordSender } from './producer.ts';

export interface BatchHandlerOptions {
  readonly work: WorkConsumer;
  readonly topicPrefix: string;
  readonly consumer: Pick<Consumer, 'pause' | 'resume'>;
  readonly sender: RecordSender;
  readonly commits: OffsetCommits;
  readonly logger: Logger;
}

/**
 * What a consumer does with each batch that the client fetched from one partition. The records
 * are put into the partition's line and the client fetches on; each line is handled in its order
 * and on its own, so that no partition waits for another's handlers.
 */
export interface BatchHandler {
  /** Never throws: the client takes some errors for unrecoverable and stops the whole consumer. */
  eachBatch(payload: EachBatchPayload): Promise<void>;
  /** Begins nothing further of this assignment; resolves when what is running has ended. */
  handOver(): Promise<void>;
  /** Partitions may be new here: nothing is known of their records and last failures. */
  forget(): void;
  /** Takes no further records; resolves when the running ones are handled, or at the deadline. */
  stop(deadlineMs: number): Promise<void>;
  readonly problems: () => readonly string[];
}

const defaultBatchMax = 200;
/** Partitions whose records are handled side by side. */
const partitionsAtOnceMax = 16;
/**
 * How long a full line holds the fetches of all partitions back. After that only its own
 * partition is left out, and comes again, up to a fetch's wait later, when the line is short.
 */
const turnMs = 1_000;

export function createBatchHandler(options: BatchHandlerOptions): BatchHandler {
  const { work, topicPrefix, commits, logger } = options;
  const pauses = createPartitionBackpressure(options.consumer);
  const sendDeadLetter = deadLetterSender(options);
  const measured = measureConsumer(work);
  const semaphore = createSemaphore(partitionsAtOnceMax);
  const flooded = new Map<string, TopicName>();
  let stopping = false;
  let lines = new Map<string, PartitionLine>();

  function openLine(topic: TopicName, partition: number): PartitionLine {
    const physical = physicalTopic(topicPrefix, topic);
    const assignment = lines;
    return openPartitionLine({
      semaphore,
      work: createPartitionWork({
        group: work.group,
        batchMax: work.batchMax ?? defaultBatchMax,
        onBatch: work.onBatch,
        logger,
        sendDeadLetter: ({ record }) => sendDeadLetter(topic, record),
      }),
      retryPause: (failures, signal) => pause(jitteredDelayMs(handlerBackoff, failures), signal),
      finished(lastOffset) {
        // A position of an earlier assignment may be another replica's by now.
        if (assignment === lines) commits.finished(physical, partition, lastOffset);
      },
      tried: (slice) => measured.handled({ topic, partition, ...slice }),
      progressed(progress) {
        if (assignment === lines) measured.progressed(topic, partition, progress);
      },
      flooded() {
        flooded.set(`${physical}/${partition}`, topic);
        logger.fatal({ topic, partition }, 'too many dead letters: the partition is stopped');
        pauses.hold(physical, partition);
      },
    });
  }

  function lineOf(physical: string, partition: number): PartitionLine {
    const key = `${physical}/${partition}`;
    const known = lines.get(key);
    if (known) return known;
    const opened = openLine(logicalTopic(topicPrefix, physical), partition);
    lines.set(key, opened);
    return opened;
  }

  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    if (stopping) return;
    const { topic: physical, partition } = payload.batch;
    if (flooded.has(`${physical}/${partition}`)) {
      // A new life of the client has forgotten the pause.
      pauses.hold(physical, partition);
      return;
    }
    const records = fetchedRecords(payload, logicalTopic(topicPrefix, physical));
    const last = records.at(-1);
    if (!last) return;
    const line = lineOf(physical, partition);
    if (!line.add(records, Number(payload.batch.offsetLag()))) return;
    // Where to fetch on from; what is committed follows the handlers.
    payload.resolveOffset(last.position.offset);
    if (!(await line.shortWithin(turnMs))) pauses.holdUntil(physical, partition, line.short());
  }

  async function endLines(): Promise<void> {
    await Promise.all([...lines.values()].map((line) => line.end()));
  }

  return {
    eachBatch,
    handOver: endLines,
    forget() {
      void endLines();
      lines = new Map();
      measured.forget();
    },
    async stop(deadlineMs) {
      stopping = true;
      pauses.holdAll(work.topics.map((topic) => physicalTopic(topicPrefix, topic)));
      await withDeadline(endLines(), deadlineMs, 'handling what was fetched').catch(
        (error: unknown) => logger.warn({ err: error, group: work.group }, 'left unfinished'),
      );
      measured.end();
    },
    problems: () =>
      [...new Set(flooded.values())].map((topic) => `dead letters flood from ${topic}`),
  };
}

function deadLetterSender({ topicPrefix, sender }: BatchHandlerOptions) {
  return async (topic: TopicName, record: WireRecord): Promise<void> => {
    const letters = physicalTopic(topicPrefix, deadLetterTopic(topic));
    await sender.send([{ topic: letters, records: [record] }]);
    const reason = record.headers['dead-letter-reason'] ?? 'unknown';
    deadLetters.add(1, { 'messaging.destination.name': topic, reason });
  };
}

function fetchedRecords({ batch }: EachBatchPayload, topic: TopicName): FetchedRecord[] {
  return batch.messages.map((message) => ({
    position: { topic, partition: batch.partition, offset: message.offset },
    record: toWireRecord(message),
    writtenAtMs: Number(message.timestamp),
  }));
}
