import { deadLetterTopic, type TopicName } from '@inventory/contracts/topics';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { WorkConsumer } from '../bus.ts';
import { deadLetters } from '../messaging-metrics.ts';
import {
  createPartitionWork,
  type PartitionWork,
  type PositionedRecord,
} from '../partition-work.ts';
import { handlerBackoff } from '../retry-policy.ts';
import type { WireRecord } from '../wire-record.ts';
import { logicalTopic, physicalTopic, toWireRecord } from './kafka-records.ts';
import { measureConsumer } from './measure-consumer.ts';
import type { OffsetCommits } from './offset-commits.ts';
import { createPartitionPauses } from './partition-pauses.ts';
import type { RecordSender } from './producer.ts';

export interface BatchHandlerOptions {
  readonly work: WorkConsumer;
  readonly topicPrefix: string;
  readonly consumer: Pick<Consumer, 'pause' | 'resume'>;
  readonly sender: RecordSender;
  readonly commits: OffsetCommits;
  readonly heartbeatIntervalMs: number;
  readonly logger: Logger;
}

/** What a consumer does with each batch that the client fetched from one partition. */
export interface BatchHandler {
  /** Never throws: the client takes some errors for unrecoverable and stops the whole consumer. */
  eachBatch(payload: EachBatchPayload): Promise<void>;
  /** Partitions may be new here: nothing is known of their last failures. */
  forget(): void;
  /** Takes no further records; resolves when the running ones are handled, or at the deadline. */
  stop(deadlineMs: number): Promise<void>;
  readonly problems: () => readonly string[];
}

const defaultBatchMax = 200;
/**
 * The next fetch waits for the batches of all partitions of the last one: a partition with a
 * backlog gives way to the others after this long, and goes on with the next fetch.
 */
const turnMs = 1_000;
const handoverDeadlineMs = 1_000;

export function createBatchHandler(options: BatchHandlerOptions): BatchHandler {
  const { work, topicPrefix, commits, logger } = options;
  const partitions = createPartitionTable(options);
  const pauses = createPartitionPauses(options.consumer);
  const measured = measureConsumer(work);
  const flooded = new Map<string, TopicName>();
  const running = new Set<Promise<void>>();
  let stopping = false;

  /** True when the records are done and the next ones may follow. */
  async function handleSlice({ batch, resolveOffset }: EachBatchPayload, slice: SliceOf) {
    const { topic: physical, partition } = batch;
    const { topic, records } = slice;
    const startMs = monotonicNow();
    const result = await partitions.of(topic, partition).handle(records);
    measured.handled({ topic, partition, records: records.length, startMs, ...result });
    switch (result.result) {
      case 'done':
        resolveOffset(result.lastOffset);
        commits.finished(physical, partition, result.lastOffset);
        return true;
      case 'retry':
        pauses.hold(physical, partition, jitteredDelayMs(handlerBackoff, result.failures));
        return false;
      case 'flooded':
        flooded.set(`${physical}/${partition}`, topic);
        logger.fatal({ topic, partition }, 'too many dead letters: the partition is stopped');
        pauses.hold(physical, partition);
        return false;
    }
  }

  async function handleBatch(payload: EachBatchPayload): Promise<void> {
    const { topic: physical, partition } = payload.batch;
    if (flooded.has(`${physical}/${partition}`)) {
      // A new life of the client has forgotten the pause.
      pauses.hold(physical, partition);
      return;
    }
    const topic = logicalTopic(topicPrefix, physical);
    const records = positionedRecords(payload, topic);
    measured.progressed(topic, payload.batch, 0);
    const membership = keepMembership(payload, options.heartbeatIntervalMs);
    const startMs = monotonicNow();
    const mayGoOn = () =>
      !stopping && !membership.lost && payload.isRunning() && elapsedSince(startMs) < turnMs;
    try {
      let next = 0;
      do {
        const { sliceMax } = partitions.of(topic, partition);
        const slice = records.slice(next, next + sliceMax);
        if (!(await handleSlice(payload, { topic, records: slice }))) break;
        next += slice.length;
        measured.progressed(topic, payload.batch, next);
      } while (next < records.length && mayGoOn());
      // The partition may go to another replica now: it shall begin where this one ended.
      if (membership.lost) await commits.flush(handoverDeadlineMs);
    } finally {
      membership.end();
    }
  }

  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    if (stopping) return;
    const { topic, partition } = payload.batch;
    const handling = handleBatch(payload).catch((error: unknown) => {
      logger.fatal({ err: error, topic, partition }, 'a batch could not be handled');
      pauses.hold(topic, partition, handlerBackoff.maxMs);
    });
    running.add(handling);
    await handling;
    running.delete(handling);
  }

  return {
    eachBatch,
    forget() {
      for (const known of [partitions, measured]) known.forget();
    },
    async stop(deadlineMs) {
      stopping = true;
      pauses.holdAll(work.topics.map((topic) => physicalTopic(topicPrefix, topic)));
      await withDeadline(Promise.all(running), deadlineMs, 'handling what was fetched').catch(
        (error: unknown) => logger.warn({ err: error, group: work.group }, 'left unfinished'),
      );
      measured.end();
    },
    problems: () =>
      [...new Set(flooded.values())].map((topic) => `dead letters flood from ${topic}`),
  };
}

interface SliceOf {
  readonly topic: TopicName;
  readonly records: readonly PositionedRecord[];
}

/** What is known of each partition: the failures of its last records. */
function createPartitionTable(options: BatchHandlerOptions) {
  const { work, topicPrefix, sender, logger } = options;
  const partitions = new Map<string, PartitionWork>();

  async function sendDeadLetter(topic: TopicName, record: WireRecord): Promise<void> {
    const letters = physicalTopic(topicPrefix, deadLetterTopic(topic));
    await sender.send([{ topic: letters, records: [record] }]);
    const reason = record.headers['dead-letter-reason'] ?? 'unknown';
    deadLetters.add(1, { 'messaging.destination.name': topic, reason });
  }

  return {
    of(topic: TopicName, partition: number): PartitionWork {
      const key = `${topic}/${partition}`;
      const known = partitions.get(key);
      if (known) return known;
      const created = createPartitionWork({
        group: work.group,
        batchMax: work.batchMax ?? defaultBatchMax,
        onBatch: work.onBatch,
        logger,
        sendDeadLetter: ({ record }) => sendDeadLetter(topic, record),
      });
      partitions.set(key, created);
      return created;
    },
    forget: () => partitions.clear(),
  };
}

function positionedRecords({ batch }: EachBatchPayload, topic: TopicName): PositionedRecord[] {
  return batch.messages.map((message) => ({
    position: { topic, partition: batch.partition, offset: message.offset },
    record: toWireRecord(message),
  }));
}

/**
 * The client heartbeats only between batches; a slow slice must not lose the membership. A
 * heartbeat that is refused means that the partitions are being dealt anew.
 */
function keepMembership(payload: EachBatchPayload, intervalMs: number) {
  const state = { lost: false };
  const timer = setInterval(() => {
    payload.heartbeat().catch(() => {
      state.lost = true;
    });
  }, intervalMs);
  return {
    get lost() {
      return state.lost;
    },
    end: () => clearInterval(timer),
  };
}
