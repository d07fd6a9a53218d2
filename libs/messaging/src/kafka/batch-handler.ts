import { deadLetterTopic, type TopicName } from '@inventory/contracts/topics';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { createSemaphore } from '@inventory/runtime/semaphore';
import { pause, withDeadline } from '@inventory/runtime/wait';
import type { WorkConsumer } from '../bus.ts';
import { deadLetters } from '../messaging-metrics.ts';
import { createPartitionWork, type PositionedRecord } from '../partition-work.ts';
import { handlerBackoff, postponeMs } from '../retry-policy.ts';
import type { WireRecord } from '../wire-record.ts';
import type { ConsumerContext } from './consumer-context.ts';
import { measureConsumer } from './measure-consumer.ts';
import type { OffsetCommits } from './offset-commits.ts';
import { openPartitionQueue, type PartitionQueue } from './partition-queue.ts';
import { logicalTopic, physicalTopic } from './topic-names.ts';
import type { FetchedBatch, GroupMember } from './wire-client.ts';

/**
 * Handles the batches that the client fetches. Records are enqueued in their partition's queue and
 * the client continues to fetch; queues are handled in order and independently, so that no
 * partition waits for another's handlers.
 */
export interface BatchHandler {
  /** Never throws. */
  handle(batch: FetchedBatch): Promise<void>;
  /** Starts nothing further of this assignment; resolves when the running slices have ended. */
  handOver(): Promise<void>;
  /** Forgets the state of every partition: assignments may have changed. */
  forget(): void;
  /** Takes no further records; resolves when the running ones are handled, or at the deadline. */
  stop(deadlineMs: number): Promise<void>;
  readonly problems: () => readonly string[];
}

const defaultBatchMax = 200;
/** Partitions whose records are handled concurrently. */
const partitionConcurrencyMax = 16;
/**
 * How long a full queue delays the fetches of all partitions. After that only its own partition is
 * paused; it is resumed when the queue has capacity, up to one fetch wait later.
 */
const backpressureMs = 1_000;

export function createBatchHandler(
  context: ConsumerContext,
  work: WorkConsumer,
  member: GroupMember,
  commits: OffsetCommits,
): BatchHandler {
  const { wire, topicPrefix } = context;
  const { logger } = wire.connection;
  const sendDeadLetter = deadLetterSender(context);
  const measured = measureConsumer(work);
  const semaphore = createSemaphore(partitionConcurrencyMax);
  const flooded = new Map<string, TopicName>();
  const ending = new AbortController();
  let queues = new Map<string, PartitionQueue>();

  function openQueue(topic: TopicName, partition: number): PartitionQueue {
    const physical = physicalTopic(topicPrefix, topic);
    const assignment = queues;
    return openPartitionQueue({
      semaphore,
      work: createPartitionWork({
        group: work.group,
        batchMax: work.batchMax ?? defaultBatchMax,
        onBatch: work.onBatch,
        logger,
        sendDeadLetter: ({ record }) => sendDeadLetter(topic, record),
      }),
      retryPause: (failures, signal) => pause(jitteredDelayMs(handlerBackoff, failures), signal),
      postponePause: (signal) => pause(postponeMs, signal),
      finished(lastOffset) {
        // A partition of an earlier assignment may belong to another replica by now.
        if (assignment === queues) commits.finished(physical, partition, lastOffset);
      },
      tried: (slice) => measured.handled({ topic, partition, ...slice }),
      progressed(progress) {
        if (assignment === queues) measured.progressed(topic, partition, progress);
      },
      flooded() {
        flooded.set(`${physical}/${partition}`, topic);
        logger.fatal({ topic, partition }, 'too many dead letters: the partition is stopped');
        member.pause(physical, partition);
      },
    });
  }

  function queueOf(physical: string, partition: number): PartitionQueue {
    const key = `${physical}/${partition}`;
    const known = queues.get(key);
    if (known) return known;
    const opened = openQueue(logicalTopic(topicPrefix, physical), partition);
    queues.set(key, opened);
    return opened;
  }

  async function handle(batch: FetchedBatch): Promise<void> {
    if (ending.signal.aborted) return;
    const { topic: physical, partition } = batch;
    const key = `${physical}/${partition}`;
    // A restarted client has forgotten the pause.
    if (flooded.has(key)) return member.pause(physical, partition);
    const queue = queueOf(physical, partition);
    if (!queue.add(fetchedRecords(batch, logicalTopic(topicPrefix, physical)), batch.lag)) return;
    // The next fetch continues here; commits follow the handlers.
    batch.accept();
    if (work.batchWindowMs !== undefined && batch.lag <= 0)
      await pause(work.batchWindowMs, ending.signal);
    if (await queue.hasCapacityWithin(backpressureMs)) return;
    member.pause(physical, partition);
    void queue.waitForCapacity().then(() => {
      if (!ending.signal.aborted && !flooded.has(key)) member.resume(physical, partition);
    });
  }

  async function closeQueues(): Promise<void> {
    await Promise.all([...queues.values()].map((queue) => queue.close()));
  }

  return {
    handle,
    handOver: closeQueues,
    forget() {
      void closeQueues();
      queues = new Map();
      measured.forget();
    },
    async stop(deadlineMs) {
      ending.abort();
      member.pauseAll();
      await withDeadline(closeQueues(), deadlineMs, 'handling fetched records').catch(
        (error: unknown) =>
          logger.warn({ err: error, group: work.group }, 'partition work abandoned'),
      );
      measured.end();
    },
    problems: () =>
      [...new Set(flooded.values())].map((topic) => `dead letters flood from ${topic}`),
  };
}

function deadLetterSender({ topicPrefix, sender }: ConsumerContext) {
  return async (topic: TopicName, record: WireRecord): Promise<void> => {
    const letters = physicalTopic(topicPrefix, deadLetterTopic(topic));
    await sender.send([{ topic: letters, records: [record] }]);
    const reason = record.headers['dead-letter-reason'] ?? 'unknown';
    deadLetters.add(1, { 'messaging.destination.name': topic, reason });
  };
}

function fetchedRecords(batch: FetchedBatch, topic: TopicName): PositionedRecord[] {
  return batch.records.map(({ offset, writtenAtMs, ...record }) => ({
    position: { topic, partition: batch.partition, offset },
    record,
    writtenAtMs,
  }));
}
