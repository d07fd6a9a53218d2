import { servicePlaceholder } from '@inventory/contracts/topic-access';
import type { ServiceName } from '@inventory/contracts/topics';
import { isoTime } from '@inventory/runtime/clock';
import { kafkaAccess, kafkaSettings } from '@inventory/runtime/kafka-access';
import { type Lifetime, openLifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { type ServiceConfig, serviceSettings } from '@inventory/runtime/service-settings';
import { integer, readSettings, SettingsError, text } from '@inventory/runtime/settings';
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

/**
 * Creates missing topics and, where principals are named, their rights; existing ones stay, and what
 * differs of them is reported.
 */
export async function prepareTopics(
  environment: Record<string, string | undefined>,
  logger: Logger,
): Promise<void> {
  const parsed = readSettings(topicJobSettings, environment);
  const access = kafkaAccess(parsed);
  const topicPrefix = parsed.KAFKA_TOPIC_PREFIX;
  // Loaded for this job alone: a service may use another client.
  const { ensureTopics, topicConfigs } = await import('@inventory/messaging/kafka/topic-admin');
  const { compareTopics } = await import('@inventory/messaging/kafka/compare-topics');
  const stated = {
    topicPrefix,
    partitions: parsed.TOPIC_PARTITIONS,
    replicationFactor: parsed.TOPIC_REPLICATION_FACTOR,
  };
  const created = await ensureTopics({ ...access, ...stated, logger });
  const differences = await compareTopics(access, topicConfigs(stated), logger);
  logger.info({ created, differences: differences.length }, 'topics ready');
  const { ACL_PRINCIPALS: principals } = parsed;
  if (principals === undefined) return;
  const { ensureAccess } = await import('@inventory/messaging/kafka/access-admin');
  const rules = await ensureAccess(access, { principals, topicPrefix }, logger);
  logger.info({ principals, rules }, 'rights ready');
}

/**
 * Creates missing indexes through the service's own start, so that the two cannot differ. False where
 * an index conflicts with another one.
 */
export async function prepareIndexes(
  logger: Logger,
  stopDeadlineMs: number,
  /** The start of the service with `indexesOnly`. */
  start: (lifetime: Lifetime) => Promise<unknown>,
): Promise<boolean> {
  const lifetime = openLifetime(logger, stopDeadlineMs);
  try {
    await start(lifetime);
    throw new Error('this service opened no database');
  } catch (error) {
    if (!(error instanceof IndexesReady)) throw error;
    if (error.areComplete) logger.info('indexes ready');
    return error.areComplete;
  } finally {
    await lifetime.close();
  }
}

export const rewindFlag = '--rewind-consumers-to';

interface RewindCommand {
  readonly service: ServiceName;
  readonly config: ServiceConfig;
  /** ISO 8601 with a zone, as given on the command line. */
  readonly time: string | undefined;
  readonly logger: Logger;
}

/** Rewinds the service's consumer groups to a time; all its replicas must be stopped. */
export async function runRewind(command: RewindCommand): Promise<void> {
  const { service, config, time = '', logger } = command;
  const toMs = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(time) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(toMs)) {
    throw new SettingsError([`${rewindFlag} needs a time such as 2026-11-21T10:00:00Z`]);
  }
  const { environment } = config;
  const { rewindConsumers } = await import('@inventory/messaging/kafka/rewind-consumers');
  const rewound = await rewindConsumers({ ...config.kafka, service, environment, toMs, logger });
  logger.info({ to: isoTime(toMs), rewound }, 'consumers rewound');
}

/** Work that a process of the service does and then ends, instead of serving. */
export interface Task<Config extends ServiceConfig> {
  /** The command line argument that selects it. */
  readonly flag: `--${string}`;
  /** False ends the process with exit code 1. */
  readonly run: (context: ServiceContext<Config>, argv: readonly string[]) => Promise<boolean>;
}

/** Runs a task to its end; a signal to stop closes its lifetime. */
export async function runTask(
  process: NodeJS.Process,
  logger: Logger,
  stopDeadlineMs: number,
  run: (lifetime: Lifetime) => Promise<boolean>,
): Promise<void> {
  const lifetime = openLifetime(logger, stopDeadlineMs);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void lifetime.close());
  }
  try {
    if (!(await run(lifetime))) process.exitCode = 1;
  } catch (error) {
    logger.fatal({ err: error }, 'task failed');
    process.exitCode = 1;
  } finally {
    await lifetime.close();
  }
}
