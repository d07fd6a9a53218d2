import type { BusSubscription, WorkConsumer } from '../bus.ts';
import { createBatchHandler } from './batch-handler.ts';
import type { ConsumerContext } from './consumer-context.ts';
import type { ConsumerWatch } from './consumer-watch.ts';
import { createOffsetCommits } from './offset-commits.ts';
import { timingOf } from './timing.ts';
import { physicalTopic } from './topic-names.ts';

export interface KafkaSubscription extends BusSubscription {
  readonly watch: ConsumerWatch;
  readonly problems: () => readonly string[];
}

/** Runs one member of a consumer group over its topics. */
export async function startWorkConsumer(
  context: ConsumerContext,
  work: WorkConsumer,
): Promise<KafkaSubscription> {
  const { wire, topicPrefix } = context;
  const { logger } = wire.connection;
  const { handlersDeadlineMs, commitDeadlineMs, fetchWaitMs } = timingOf(wire.connection.timing);
  const member = await wire.openMember({
    groupId: `${topicPrefix}${work.group}`,
    topics: work.topics.map((topic) => physicalTopic(topicPrefix, topic)),
    fetchWaitMs,
  });
  const commits = createOffsetCommits(member, logger);
  const handler = createBatchHandler(context, work, member, commits);

  function reassigned(): void {
    try {
      work.onReassigned?.();
    } catch (error) {
      logger.error({ err: error, group: work.group }, 'reassignment not handled');
    }
  }
  await member.run({
    batch: handler.handle,
    rebalancing() {
      // Sent on the coordinator's connection before the request to rejoin.
      void commits.flush(commitDeadlineMs);
      // Running slices end while other members join, and are not redelivered.
      void handler.handOver().then(() => commits.flush(commitDeadlineMs));
      reassigned();
    },
    joined() {
      handler.forget();
      commits.forget();
      reassigned();
    },
  });
  return {
    watch: member.watch,
    problems: handler.problems,
    async stop() {
      await handler.stop(handlersDeadlineMs);
      await commits.close(commitDeadlineMs);
      await member.stop();
    },
  };
}
