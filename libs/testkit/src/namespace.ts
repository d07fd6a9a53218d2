import { ensureTopics } from '@inventory/messaging/kafka/topic-admin';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger } from '@inventory/runtime/logger';

/** The Kafka and MongoDB of this test run, and names on them that no other test file uses. */
export interface TestNamespace {
  readonly kafkaBrokers: readonly string[];
  readonly mongodbUri: string;
  /** For KAFKA_TOPIC_PREFIX; its topics exist. */
  readonly topicPrefix: string;
  /** A database of its own for one service or store. */
  database(name: string): string;
}

/** Silent unless TEST_LOG_LEVEL says otherwise. */
export const testLogger = createLogger({
  service: 'test',
  level: process.env['TEST_LOG_LEVEL'] ?? 'silent',
});

/**
 * Timeouts of Kafka and MongoDB clients in tests: so far out that a starved machine does not reach
 * them. A test of an outage gives its own.
 */
export const patientKafka = { timeoutMs: 120_000, sessionTimeoutMs: 120_000 } as const;
export const patientMongodb = { timeoutMs: 120_000 } as const;

/** Names for one test file. `topics: false` where nothing is sent over Kafka. */
export async function openNamespace(options: { topics?: boolean } = {}): Promise<TestNamespace> {
  const kafkaBrokers = required('KAFKA_BROKERS').split(',');
  const mongodbUri = required('MONGODB_URI');
  const unique = systemIdentifiers.uuidV7().replaceAll('-', '').slice(4, 20);
  const topicPrefix = `t${unique}.`;
  if (options.topics !== false) {
    await ensureTopics({
      ...patientKafka,
      brokers: kafkaBrokers,
      topicPrefix,
      partitions: 2,
      replicationFactor: 1,
      logger: testLogger,
    });
  }
  return { kafkaBrokers, mongodbUri, topicPrefix, database: (name) => `t${unique}_${name}` };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the tests through npm test or jest`);
  return value;
}
