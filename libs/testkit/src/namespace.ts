import { ensureTopics } from '@inventory/messaging/kafka/topic-admin';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger } from '@inventory/runtime/logger';

/** Timeouts of Kafka clients that no slow machine reaches; they end a hanging test. */
export const patientTiming = {
  requestTimeoutMs: 60_000,
  sessionTimeoutMs: 60_000,
  handlersDeadlineMs: 60_000,
  commitDeadlineMs: 60_000,
  leaveDeadlineMs: 60_000,
  // A stop waits for it; shorter, and idle consumers would fill a core.
  fetchWaitMs: 200,
  // A member detects a change of its group with its next heartbeat.
  heartbeatIntervalMs: 300,
} as const;

/** Timeouts of MongoDB clients that no slow machine reaches; writes are retried, as the product's are. */
const patientOptions = {
  retryWrites: true,
  serverSelectionTimeoutMS: 60_000,
  connectTimeoutMS: 60_000,
  waitQueueTimeoutMS: 60_000,
  socketTimeoutMS: 60_000,
} as const;

/** The connection string with them. */
export function patientUri(uri: string): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(patientOptions)) {
    url.searchParams.set(name, String(value));
  }
  return url.href;
}

/**
 * The connection string for clients whose connections no test disturbs: without lost responses no
 * write is retried, so none needs a number, which costs SecantusDB time (`native-mongodb.ts`).
 */
export function undisturbedUri(uri: string): string {
  const url = new URL(uri);
  url.searchParams.set('retryWrites', 'false');
  return url.href;
}

/** The Kafka and MongoDB of this test run, with names that no other test file uses. */
export interface TestNamespace {
  readonly kafkaBrokers: readonly string[];
  readonly mongodbUri: string;
  /** The value of KAFKA_TOPIC_PREFIX; its topics exist. */
  readonly topicPrefix: string;
  /** A database for one service or store. */
  database(name: string): string;
}

/** Silent unless TEST_LOG_LEVEL is set. */
export const testLogger = createLogger({
  service: 'test',
  level: process.env['TEST_LOG_LEVEL'] ?? 'silent',
});

/** Names of one test file. `topics: false` where no message is sent. */
export async function openNamespace(options: { topics?: boolean } = {}): Promise<TestNamespace> {
  const kafkaBrokers = required('KAFKA_BROKERS').split(',');
  const mongodbUri = patientUri(required('MONGODB_URI'));
  const unique = systemIdentifiers.uuidV7().replaceAll('-', '').slice(4, 20);
  const topicPrefix = `t${unique}.`;
  if (options.topics !== false) {
    await ensureTopics({
      brokers: kafkaBrokers,
      timing: patientTiming,
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
