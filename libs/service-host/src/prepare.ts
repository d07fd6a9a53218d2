import { servicePlaceholder } from '@inventory/contracts/topic-access';
import { kafkaAccess, kafkaSettings } from '@inventory/runtime/kafka-access';
import { openLifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { serviceSettings } from '@inventory/runtime/service-settings';
import { integer, readSettings, text } from '@inventory/runtime/settings';
import { IndexesReady } from './open-backends.ts';
import type { ServiceContext } from './service-context.ts';

/** Settings of `--ensure-topics`; it reads no others. */
export const topicJobSettings = {
  ...kafkaSettings,
  KAFKA_TOPIC_PREFIX: serviceSettings.KAFKA_TOPIC_PREFIX,
  TOPIC_PARTITIONS: integer(1, 1_000)
    .prefault('12')
    .describe('Partitions of a work topic: the largest number of replicas that share its work'),
  TOPIC_REPLICATION_FACTOR: integer(1, 9)
    .prefault('3')
    .describe('Replicas of each record; all but one must have it before it is acknowledged'),
  ACL_PRINCIPALS: text()
    .regex(/^User:/, 'must begin with User:')
    .refine((pattern) => pattern.includes(servicePlaceholder), 'must contain {service}')
    .optional()
    .describe(
      'Kafka principal of each service, such as `User:inventory-{service}`: it gets the rights that ' +
        'the topic catalogue names; no rights are given when absent',
    ),
} as const;

/** Creates missing topics and, where principals are named, their rights; existing ones stay. */
export async function prepareTopics(
  environment: Record<string, string | undefined>,
  logger: Logger,
): Promise<void> {
  const parsed = readSettings(topicJobSettings, environment);
  const cluster = { ...kafkaAccess(parsed), topicPrefix: parsed.KAFKA_TOPIC_PREFIX, logger };
  // Loaded for this job alone: a service may use another client.
  const { ensureTopics } = await import('@inventory/messaging/kafka/topic-admin');
  const created = await ensureTopics({
    ...cluster,
    partitions: parsed.TOPIC_PARTITIONS,
    replicationFactor: parsed.TOPIC_REPLICATION_FACTOR,
  });
  logger.info({ created }, 'topics ready');
  const { ACL_PRINCIPALS: principals } = parsed;
  if (principals === undefined) return;
  const { ensureAccess } = await import('@inventory/messaging/kafka/access-admin');
  const rules = await ensureAccess({ ...cluster, principals });
  logger.info({ principals, rules }, 'rights ready');
}

export type PreparedContext = Pick<ServiceContext, 'lifetime' | 'logger' | 'indexesOnly'>;

export interface PrepareIndexesOptions {
  readonly logger: Logger;
  readonly stopDeadlineMs: number;
  /** The start of the service, which ends after its indexes. */
  readonly start: (context: PreparedContext) => Promise<unknown>;
}

/** Creates missing indexes through the service's own start, so that the two cannot differ. */
export async function prepareIndexes({
  logger,
  stopDeadlineMs,
  start,
}: PrepareIndexesOptions): Promise<void> {
  const lifetime = openLifetime(logger, stopDeadlineMs);
  try {
    await start({ lifetime, logger, indexesOnly: true });
    throw new Error('this service opened no database');
  } catch (error) {
    if (!(error instanceof IndexesReady)) throw error;
    logger.info('indexes ready');
  } finally {
    await lifetime.close();
  }
}
