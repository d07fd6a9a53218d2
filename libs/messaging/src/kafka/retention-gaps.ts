import { type TopicName, topics } from '@inventory/contracts/topics';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { ClusterReads, WireClient } from './wire-client.ts';

export interface RetentionGapOptions {
  readonly wire: WireClient;
  readonly group: string;
  readonly topics: readonly TopicName[];
  readonly topicPrefix: string;
  readonly logger: Logger;
}

/** Records that a group missed, until its position is past them. */
export interface RetentionGaps {
  readonly problems: () => readonly string[];
  stop(): void;
}

const workRetentionMs = 24 * 3_600_000;
const checkIntervalMs = 1_000;

/**
 * Checks for records that expired before the group consumed them and, where there are any, repeats
 * the check until the group's position is past them.
 */
export async function openRetentionGaps(options: RetentionGapOptions): Promise<RetentionGaps> {
  const { wire, group, logger } = options;
  const stopping = new AbortController();
  let gaps = await wire.read((cluster) => findRetentionGaps(cluster, options));
  for (const gap of gaps) logger.error({ group, gap }, 'records expired before consumption');

  async function waitUntilPassed(): Promise<void> {
    while (gaps.length > 0) {
      await pause(checkIntervalMs, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        gaps = await wire.read((cluster) => findRetentionGaps(cluster, options));
      } catch (error) {
        logger.warn({ err: error, group }, 'retention gap check failed');
      }
    }
  }

  void waitUntilPassed();
  return { problems: () => gaps, stop: () => stopping.abort() };
}

/**
 * Lists the partitions whose next record for this group has expired: the service was down for longer
 * than the topic's retention, and must not skip the gap silently. Topics of short retention are left
 * out: their messages are re-sent.
 */
async function findRetentionGaps(
  cluster: ClusterReads,
  consumed: Pick<RetentionGapOptions, 'group' | 'topics' | 'topicPrefix'>,
): Promise<string[]> {
  const gaps: string[] = [];
  const groupId = consumed.topicPrefix + consumed.group;
  for (const name of consumed.topics.filter(
    (topic) => topics[topic].retentionMs > workRetentionMs,
  )) {
    const topic = consumed.topicPrefix + name;
    const kept = await cluster.bounds(topic);
    for (const { partition, offset } of await cluster.committed(groupId, topic)) {
      const low = kept.find((entry) => entry.partition === partition)?.low;
      if (BigInt(offset) >= 0n && low !== undefined && BigInt(offset) < BigInt(low)) {
        gaps.push(
          `${name}/${partition}: position ${offset} is before the start of the log (${low})`,
        );
      }
    }
  }
  return gaps;
}
