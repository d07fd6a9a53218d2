import { topics } from '@inventory/contracts/topics';
import { pause } from '@inventory/runtime/wait';
import type { WorkConsumer } from '../bus.ts';
import type { ReaderContext } from './consumer-context.ts';
import type { ClusterReads } from './wire-client.ts';

/** Records that a group may have missed, until its position is past them. */
export interface RetentionGaps {
  readonly problems: () => readonly string[];
  /** The group consumes: from now on gaps are passed. */
  consuming(): void;
  stop(): void;
}

const workRetentionMs = 24 * 3_600_000;
const checkIntervalMs = 1_000;

/**
 * Checks for records that may have expired before the group consumed them and, where there are any,
 * repeats the check until the group's position is past them.
 */
export async function openRetentionGaps(
  { wire, topicPrefix }: ReaderContext,
  work: WorkConsumer,
): Promise<RetentionGaps> {
  const { group } = work;
  const { logger } = wire.connection;
  const stopping = new AbortController();
  const find = async () =>
    (await wire.read((cluster) => findRetentionGaps(cluster, work, topicPrefix))).flat();
  let gaps = await find();
  for (const { gap } of gaps) logger.error({ group, gap }, 'records expired before consumption');

  async function waitUntilPassed(): Promise<void> {
    while (gaps.length > 0) {
      await pause(checkIntervalMs, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        gaps = (await find()).filter(({ isAtEnd }) => !isAtEnd);
      } catch (error) {
        logger.warn({ err: error, group }, 'retention gap check failed');
      }
    }
  }

  return {
    problems: () => gaps.map(({ gap }) => gap),
    consuming: () => void waitUntilPassed(),
    stop: () => stopping.abort(),
  };
}

interface RetentionGap {
  readonly gap: string;
  /** No position is committed, and no record is there to commit one by. */
  readonly isAtEnd: boolean;
}

/**
 * Lists the partitions whose next record for this group has expired: the service was down for longer
 * than the topic's retention, or than the broker keeps the positions of a group, and must not skip the gap
 * silently. Topics of short retention are left out: their messages are re-sent.
 */
async function findRetentionGaps(
  cluster: ClusterReads,
  work: WorkConsumer,
  topicPrefix: string,
): Promise<RetentionGap[][]> {
  const groupId = topicPrefix + work.group;
  const durable = work.topics.filter((name) => topics[name].retentionMs > workRetentionMs);
  const gaps: RetentionGap[][] = [];
  for (const name of durable) {
    const topic = topicPrefix + name;
    const kept = await cluster.bounds(topic);
    const committed = await cluster.committed(groupId, topic);
    gaps.push(
      kept.flatMap(({ partition, low, high }) => {
        const offset = committed.find((entry) => entry.partition === partition)?.offset ?? '-1';
        if (BigInt(offset) >= BigInt(low) || low === '0') return [];
        const hasNone = BigInt(offset) < 0n;
        const position = hasNone ? 'there is no position' : `position ${offset} is`;
        const gap = `${name}/${partition}: ${position} before the start of the log (${low})`;
        return [{ gap, isAtEnd: hasNone && low === high }];
      }),
    );
  }
  return gaps;
}
