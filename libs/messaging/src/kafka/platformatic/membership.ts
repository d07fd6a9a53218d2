import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { GroupAssignment } from '@platformatic/kafka';
import type { ConsumerWatch } from '../consumer-watch.ts';
import type { MemberHandlers, MemberOptions } from '../wire-client.ts';
import type { PlainConsumer } from './broker-fetch.ts';
import type { FetchLoop } from './fetch-loop.ts';
import type { AssignedPartition } from './fetched-records.ts';

export interface MembershipOptions extends Pick<MemberOptions, 'groupId' | 'startOf'> {
  readonly consumer: PlainConsumer;
  readonly watch: ConsumerWatch;
  readonly handlers: MemberHandlers;
  readonly loop: FetchLoop;
  readonly logger: Logger;
}

const backoff = { firstMs: 100, maxMs: 2_000 } as const;

/**
 * Follows the library's membership, and joins again where the library gives up: it does so when a
 * join fails that followed from a heartbeat.
 */
export function keepMembership(options: MembershipOptions, stopping: AbortSignal) {
  const { consumer, watch, handlers, loop, logger, groupId } = options;
  let assignment = new AbortController();
  let joining: Promise<void> | undefined;
  let isLeader = false;

  function endAssignment(): void {
    assignment.abort();
    assignment = new AbortController();
    loop.end();
  }

  async function untilDone(what: string, work: () => Promise<void>, wanted: AbortSignal) {
    for (let tries = 1; !stopping.aborted && !wanted.aborted; tries += 1) {
      try {
        return await work();
      } catch (error) {
        watch.saw.trying();
        logger.warn({ err: error, groupId, tries }, what);
        consumer.clearMetadata();
        await pause(jitteredDelayMs(backoff, tries), wanted);
      }
    }
  }

  function join(): Promise<void> {
    const work = async () => void (await consumer.joinGroup({}));
    joining ??= untilDone('joining the group failed', work, stopping).finally(() => {
      joining = undefined;
    });
    return joining;
  }

  function rebalancing(): void {
    endAssignment();
    handlers.rebalancing?.();
  }

  consumer.on('consumer:heartbeat:end', watch.saw.heartbeat);
  consumer.on('consumer:heartbeat:error', watch.saw.trying);
  consumer.on('consumer:group:rebalance', rebalancing);
  consumer.on('consumer:group:join', (group) => {
    isLeader = group.isLeader === true;
    endAssignment();
    watch.saw.joined();
    handlers.joined?.();
    const { signal } = assignment;
    const start = async () => {
      const positions = await positionsOf(options, group.assignments ?? []);
      if (!signal.aborted && !stopping.aborted) loop.start(positions);
    };
    void untilDone('positions of the group not read', start, signal);
  });
  consumer.on('error', (error: unknown) => {
    logger.warn({ err: error, groupId }, 'rejoining the group failed');
    endAssignment();
    watch.saw.crashed();
    void join();
  });
  return {
    /** Resolves when the member has joined, or is stopping. */
    join,
    /** Has the partitions assigned anew where this member is the one that assigns them. */
    renew(): void {
      if (!isLeader) return;
      rebalancing();
      void join();
    },
  };
}

/** Without a position a partition is read from its beginning. */
async function positionsOf(
  { consumer, startOf }: MembershipOptions,
  assigned: readonly GroupAssignment[],
): Promise<AssignedPartition[]> {
  const asked = startOf === undefined && assigned.length > 0;
  const committed = asked
    ? await consumer.listCommittedOffsets({ topics: [...assigned] })
    : undefined;
  return assigned.flatMap(({ topic, partitions }) =>
    partitions.map((partition) => {
      const position = startOf
        ? BigInt(startOf(topic, partition))
        : (committed?.get(topic)?.[partition] ?? -1n);
      return { topic, partition, offset: position < 0n ? 0n : position };
    }),
  );
}
