import { withDeadline } from '@inventory/runtime/wait';
import { ConnectionPool, Consumer } from '@platformatic/kafka';
import { createConsumerWatch } from '../consumer-watch.ts';
import { timingOf } from '../timing.ts';
import type { GroupMember, KafkaConnection, MemberOptions } from '../wire-client.ts';
import { partitionAssigner, protocols } from './assignment.ts';
import { clientOptions } from './client.ts';
import { createFetchLoop, type FetchLoop } from './fetch-loop.ts';
import type { AssignedPartition } from './fetched-records.ts';
import { keepMembership } from './membership.ts';
import { removePredecessors } from './remove-predecessors.ts';

/**
 * The library keeps the membership. Fetching is done here: the library's own stream delivers record
 * by record, pauses all partitions at once and ends with every error.
 */
export async function openPlatformaticMember(
  connection: KafkaConnection,
  options: MemberOptions,
): Promise<GroupMember> {
  const { groupId, topics } = options;
  const { logger, clientId } = connection;
  const { requestTimeoutMs, sessionTimeoutMs, ...timing } = timingOf(connection);
  const watch = createConsumerWatch(sessionTimeoutMs);
  const stopping = new AbortController();
  const settings = {
    ...clientOptions(connection),
    // A join waits for the session of a member that was killed.
    requestTimeout: Math.max(requestTimeoutMs, sessionTimeoutMs + 5_000),
  };
  const consumer = new Consumer({
    ...settings,
    groupId,
    protocols,
    partitionAssigner,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: timing.heartbeatIntervalMs,
    rebalanceTimeout: Math.max(60_000, sessionTimeoutMs),
  });
  const connectionPool = new ConnectionPool(clientId, {
    ...settings,
    ownerId: consumer.instanceId,
  });
  consumer.topics.trackAll(...topics);
  let loop: FetchLoop | undefined;

  async function commit(positions: readonly AssignedPartition[]): Promise<void> {
    if (positions.length === 0) return;
    await consumer.commit({ offsets: positions.map((one) => ({ ...one, leaderEpoch: -1 })) });
  }

  return {
    watch,
    async run(handlers) {
      const fetching = { ...options, consumer, connectionPool, logger, handle: handlers.batch };
      loop = createFetchLoop({
        ...fetching,
        fetched: watch.saw.fetched,
        failed: watch.saw.trying,
        skipped: options.startOf ? async () => {} : commit,
        outgrown: () => membership.renew(),
      });
      const context = { ...options, consumer, watch, handlers, loop, logger };
      const membership = keepMembership(context, stopping.signal);
      await removePredecessors(connection, groupId);
      await membership.join();
    },
    pause: (topic, partition) => loop?.pause(topic, partition),
    resume: (topic, partition) => loop?.resume(topic, partition),
    pauseAll: () => loop?.close(),
    commit: (positions) => commit(positions.map((one) => ({ ...one, offset: BigInt(one.offset) }))),
    async stop() {
      stopping.abort();
      loop?.close();
      const leaving = withDeadline(consumer.close(true), timing.leaveDeadlineMs, 'leaving');
      await leaving.catch((error: unknown) =>
        logger.warn({ err: error, groupId }, 'consumer did not stop in time'),
      );
      await Promise.all([consumer.connections.close(), connectionPool.close()]);
    },
  };
}
