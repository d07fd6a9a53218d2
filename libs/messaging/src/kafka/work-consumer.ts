import type { Subscription, WorkConsumer } from '../bus.ts';
import { createBatchHandler } from './batch-handler.ts';
import type { KafkaConnection } from './client.ts';
import type { ConsumerWatch } from './consumer-watch.ts';
import { physicalTopic } from './kafka-records.ts';
import { createOffsetCommits } from './offset-commits.ts';
import type { RecordSender } from './producer.ts';
import { openConsumer } from './running-consumer.ts';
import { timingOf } from './timing.ts';

export interface KafkaSubscription extends Subscription {
  readonly watch: ConsumerWatch;
  readonly problems: () => readonly string[];
}

export interface ConsumerContext {
  readonly connection: KafkaConnection;
  readonly sender: RecordSender;
  readonly topicPrefix: string;
}

/** Runs one member of a consumer group over its topics. */
export async function startWorkConsumer(
  context: ConsumerContext,
  work: WorkConsumer,
): Promise<KafkaSubscription> {
  const { connection, topicPrefix } = context;
  const { logger } = connection;
  const { handlersDeadlineMs, commitDeadlineMs } = timingOf(connection);
  const running = await openConsumer({
    connection,
    groupId: `${topicPrefix}${work.group}`,
    ...fetchingOf(work),
    // Without a position the group reads a work topic from its beginning: nothing is skipped.
    subscription: {
      topics: work.topics.map((topic) => physicalTopic(topicPrefix, topic)),
      fromBeginning: true,
    },
  });
  const { consumer, watch } = running;
  const commits = createOffsetCommits(consumer, logger);
  const handler = createBatchHandler({ ...context, work, consumer, commits, logger });

  function reassigned(): void {
    try {
      work.onReassigned?.();
    } catch (error) {
      logger.error({ err: error, group: work.group }, 'reassignment not handled');
    }
  }
  consumer.on(consumer.events.REBALANCING, () => {
    // Sent on the coordinator's connection before the request to rejoin.
    void commits.flush(commitDeadlineMs);
    // Running slices end while other members join, and are not redelivered.
    void handler.handOver().then(() => commits.flush(commitDeadlineMs));
    reassigned();
  });
  consumer.on(consumer.events.GROUP_JOIN, () => {
    handler.forget();
    commits.forget();
    reassigned();
  });
  await running.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: 16,
    eachBatch: handler.eachBatch,
  });
  return {
    watch,
    problems: handler.problems,
    async stop() {
      await handler.stop(handlersDeadlineMs);
      await commits.close(commitDeadlineMs);
      await running.stop();
    },
  };
}

const fetchWaitMs = 500;
/** More than any wait collects. */
const gatheredBytes = 1024 * 1024;

function fetchingOf({ gatherMs }: WorkConsumer) {
  return gatherMs === undefined
    ? { fetchWaitMs, fetchBytesMin: 1 }
    : { fetchWaitMs: gatherMs, fetchBytesMin: gatheredBytes };
}
