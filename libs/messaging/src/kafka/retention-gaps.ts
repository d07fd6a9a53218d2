import { type TopicName, topics } from '@inventory/contracts/topics';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { Admin, Kafka } from 'kafkajs';
import { readAsAdmin } from './read-as-admin.ts';
import { requireTopics, untilSettled } from './topic-admin.ts';

export interface RetentionGapOptions {
  readonly kafka: Kafka;
  readonly group: string;
  readonly topics: readonly TopicName[];
  readonly topicPrefix: string;
  readonly logger: Logger;
}

/** What a group missed, for as long as it has not gone on behind it. */
export interface RetentionGaps {
  readonly problems: () => readonly string[];
  stop(): void;
}

const keptForWorkMs = 24 * 3_600_000;
const lookAgainMs = 1_000;

/**
 * Looks for records that were dropped unread, and, where there are any, goes on looking until the
 * group's position is behind them. Rejects when a topic is missing.
 */
export async function openRetentionGaps(options: RetentionGapOptions): Promise<RetentionGaps> {
  const { kafka, group, logger } = options;
  const stopping = new AbortController();
  let gaps = await readAsAdmin(kafka, async (admin) => {
    await requireTopics(
      admin,
      options.topics.map((topic) => options.topicPrefix + topic),
    );
    return findRetentionGaps(admin, options);
  });
  for (const gap of gaps) logger.error({ group, gap }, 'records expired before consumption');

  async function untilBehindThem(): Promise<void> {
    while (gaps.length > 0) {
      await pause(lookAgainMs, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        gaps = await readAsAdmin(kafka, (admin) => findRetentionGaps(admin, options));
      } catch (error) {
        logger.warn({ err: error, group }, 'whether records are still missing is not known');
      }
    }
  }

  void untilBehindThem();
  return { problems: () => gaps, stop: () => stopping.abort() };
}

/**
 * Names the partitions whose next record for this group is no longer kept: the service was away
 * for longer than the topic's retention, and must not silently go on behind the gap. Doorbell
 * topics are left out; whoever waits for them asks again.
 */
async function findRetentionGaps(
  admin: Admin,
  consumed: Pick<RetentionGapOptions, 'group' | 'topics' | 'topicPrefix'>,
): Promise<string[]> {
  const gaps: string[] = [];
  const groupId = consumed.topicPrefix + consumed.group;
  for (const name of consumed.topics.filter((topic) => topics[topic].retentionMs > keptForWorkMs)) {
    const topic = consumed.topicPrefix + name;
    const kept = await untilSettled(() => admin.fetchTopicOffsets(topic));
    const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
    for (const { partition, offset } of committed?.partitions ?? []) {
      const low = kept.find((entry) => entry.partition === partition)?.low;
      if (BigInt(offset) >= 0n && low !== undefined && BigInt(offset) < BigInt(low)) {
        gaps.push(`${name}/${partition}: position ${offset} is older than the kept log (${low})`);
      }
    }
  }
  return gaps;
}
