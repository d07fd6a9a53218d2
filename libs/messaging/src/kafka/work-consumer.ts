import type { TopicName } from '@inventory/contracts/topics';
import { deadLetterTopic } from '@inventory/contracts/topics';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import type { Subscription, WorkConsumer } from '../bus.ts';
import { createDeadLetterGuard } from '../dead-letter.ts';
import {
  consumedMessages,
  consumerLag,
  deadLetters,
  processDuration,
} from '../messaging-metrics.ts';
import {
  createPartitionWork,
  type PartitionWork,
  type PositionedRecord,
} from '../partition-work.ts';
import { handlerBackoff } from '../retry-policy.ts';
import { type ConsumerWatch, watchConsumer } from './consumer-watch.ts';
import { consumerRetry } from './guards.ts';
import { createOffsetCommits, type OffsetCommits } from './offset-commits.ts';
import type { RecordSender } from './producer.ts';

const sessionTimeoutMs = 30_000;
const heartbeatIntervalMs = 3_000;
const stopDeadlineMs = 8_000;
const defaultBatchMax = 200;

export interface KafkaSubscription extends Subscription {
  readonly watch: ConsumerWatch;
  readonly problems: () => readonly string[];
}

export interface WorkConsumerContext {
  readonly kafka: Kafka;
  readonly sender: RecordSender;
  /** Put before every topic and group name, so that several stacks can share a cluster. */
  readonly topicPrefix: string;
  readonly logger: Logger;
}

/** Runs one member of a consumer group over its topics. */
export async function startWorkConsumer(
  context: WorkConsumerContext,
  work: WorkConsumer,
): Promise<KafkaSubscription> {
  const consumer = context.kafka.consumer({
    groupId: `${context.topicPrefix}${work.group}`,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: heartbeatIntervalMs,
    rebalanceTimeout: 60_000,
    maxWaitTimeInMs: 250,
    minBytes: 1,
    allowAutoTopicCreation: false,
    retry: { ...consumerRetry, restartOnFailure: async () => true },
  });
  const commits = createOffsetCommits(consumer, context.logger);
  const flooded = new Set<string>();
  const partitions = new Map<string, PartitionWork>();
  const watch = watchConsumer(consumer, 3 * sessionTimeoutMs, () => {
    commits.forget();
    partitions.clear();
    work.onReassigned?.();
  });
  const runner = createRunner({ context, work, consumer, commits, partitions, flooded });

  await consumer.connect();
  // A work topic is read from its beginning where the group has no position: nothing is skipped.
  await consumer.subscribe({ topics: physicalTopics(context, work.topics), fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: 16,
    eachBatch: runner.eachBatch,
  });
  return {
    watch,
    problems: () => [...flooded].map((topic) => `dead letters flood from ${topic}`),
    async stop() {
      runner.stop();
      await commits.close();
      // Waits for fetches and handlers in flight; a retrying request must not hold the process.
      await withDeadline(consumer.disconnect(), stopDeadlineMs, 'leaving the group').catch(
        (error: unknown) => context.logger.warn({ err: error }, 'consumer did not stop in time'),
      );
    },
  };
}

interface RunnerOptions {
  readonly context: WorkConsumerContext;
  readonly work: WorkConsumer;
  readonly consumer: Consumer;
  readonly commits: OffsetCommits;
  readonly partitions: Map<string, PartitionWork>;
  readonly flooded: Set<string>;
}

function createRunner(options: RunnerOptions) {
  const { context, work, consumer, commits, partitions, flooded } = options;
  const resumeTimers = new Set<NodeJS.Timeout>();
  let stopping = false;

  function workOn(topic: TopicName, partition: number): PartitionWork {
    const key = `${topic}/${partition}`;
    const known = partitions.get(key);
    if (known) return known;
    const created = createPartitionWork({
      group: work.group,
      batchMax: work.batchMax ?? defaultBatchMax,
      onBatch: work.onBatch,
      guard: createDeadLetterGuard(),
      logger: context.logger,
      sendDeadLetter: async ({ record }) => {
        await context.sender.send(`${context.topicPrefix}${deadLetterTopic(topic)}`, [record]);
        deadLetters.add(1, { 'messaging.destination.name': topic });
      },
    });
    partitions.set(key, created);
    return created;
  }

  function resumeLater(topic: string, partition: number, failures: number): void {
    consumer.pause([{ topic, partitions: [partition] }]);
    const timer = setTimeout(
      () => {
        resumeTimers.delete(timer);
        consumer.resume([{ topic, partitions: [partition] }]);
      },
      jitteredDelayMs(handlerBackoff, failures),
    );
    resumeTimers.add(timer);
  }

  async function handleSlice(payload: EachBatchPayload, slice: PositionedRecord[]) {
    const { topic: physicalTopic, partition } = payload.batch;
    const topic = logicalTopic(context, physicalTopic);
    const startMs = monotonicNow();
    const result = await workOn(topic, partition).handle(slice);
    const labels = { 'messaging.destination.name': topic };
    processDuration.record(elapsedSince(startMs) / 1000, labels);
    if (result.result === 'done') {
      consumedMessages.add(slice.length, labels);
      payload.resolveOffset(result.lastOffset);
      commits.finished(physicalTopic, partition, result.lastOffset);
      return true;
    }
    if (result.result === 'retry') resumeLater(physicalTopic, partition, result.failures);
    else {
      flooded.add(topic);
      context.logger.fatal({ topic, partition }, 'too many dead letters: the partition is stopped');
      consumer.pause([{ topic: physicalTopic, partitions: [partition] }]);
    }
    return false;
  }

  /** Never throws: the client takes some errors for unrecoverable and stops the whole consumer. */
  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const topic = logicalTopic(context, batch.topic);
    consumerLag.record(Number(batch.offsetLag()), { 'messaging.destination.name': topic });
    const records = batch.messages.map((message) => positioned(topic, batch.partition, message));
    // The client heartbeats only between batches; a slow slice must not lose the membership.
    const beat = setInterval(() => void payload.heartbeat().catch(noop), heartbeatIntervalMs);
    try {
      let next = 0;
      while (next < records.length && payload.isRunning() && !payload.isStale() && !stopping) {
        const slice = records.slice(next, next + workOn(topic, batch.partition).sliceMax);
        if (!(await handleSlice(payload, slice))) break;
        next += slice.length;
      }
    } finally {
      clearInterval(beat);
    }
  }

  return {
    eachBatch,
    stop() {
      stopping = true;
      for (const timer of resumeTimers) clearTimeout(timer);
    },
  };
}

export function physicalTopics(
  context: Pick<WorkConsumerContext, 'topicPrefix'>,
  topics: readonly TopicName[],
): string[] {
  return topics.map((topic) => `${context.topicPrefix}${topic}`);
}

export function logicalTopic(
  context: Pick<WorkConsumerContext, 'topicPrefix'>,
  topic: string,
): TopicName {
  return topic.slice(context.topicPrefix.length) as TopicName;
}

function positioned(topic: TopicName, partition: number, message: KafkaMessage): PositionedRecord {
  return {
    position: { topic, partition, offset: message.offset },
    record: toWireRecord(message),
  };
}

/** Header values arrive as buffers, or as lists of them when a name is repeated. */
export function toWireRecord(message: KafkaMessage): PositionedRecord['record'] {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers ?? {})) {
    const single = Array.isArray(value) ? value[0] : value;
    if (single !== undefined) headers[name] = single.toString();
  }
  return {
    key: message.key?.toString() ?? '',
    value: message.value ?? Buffer.alloc(0),
    headers,
  };
}

function noop(): void {}
