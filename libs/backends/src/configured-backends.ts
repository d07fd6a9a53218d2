import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { MongodbAccess } from '@inventory/runtime/mongodb-access';
import { assertKafkaReady } from './kafka-probe.ts';
import { mongodbVersion } from './mongodb-probe.ts';
import { messageOf, SetupError } from './setup-error.ts';
import type { StartedBackend } from './started-backend.ts';

const timeoutMs = 10_000;
const notOurs = { process: null, stop: async (): Promise<void> => {} };

/** The Kafka at KAFKA_BROKERS. Rejects when none of its brokers answers. */
export async function useConfiguredKafka(access: KafkaAccess): Promise<StartedBackend> {
  const problems: string[] = [];
  for (const broker of access.brokers) {
    try {
      await assertKafkaReady({ ...access, brokers: [broker] });
      const origin = 'Kafka at the address in KAFKA_BROKERS';
      return { address: access.brokers.join(','), origin, ...notOurs };
    } catch (error) {
      problems.push(`${broker}: ${messageOf(error)}`);
    }
  }
  throw new SetupError(
    `No broker of KAFKA_BROKERS answers: ${problems.join('; ')}.`,
    'Start it, correct the address, or unset KAFKA_BROKERS to start one here.',
  );
}

/** The MongoDB at MONGODB_URI, which is never repeated: it may hold a password. */
export async function useConfiguredMongodb({ uri, tls }: MongodbAccess): Promise<StartedBackend> {
  try {
    const origin = `${await mongodbVersion(uri, timeoutMs, tls)} at the address in MONGODB_URI`;
    return { address: uri, origin, ...notOurs };
  } catch (error) {
    throw new SetupError(
      `The server of MONGODB_URI does not answer: ${messageOf(error)}.`,
      'Start it, correct the address, or unset MONGODB_URI to start one here.',
    );
  }
}
