import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { MongodbAccess } from '@inventory/runtime/mongodb-access';
import { kafkaName } from './kafka-name.ts';
import { askKafka } from './kafka-probe.ts';
import { mongodbVersion } from './mongodb-probe.ts';
import { ProvisionError, sentenceOf } from './provision-error.ts';
import type { StartedBackend } from './started-backend.ts';

const answerDeadlineMs = 10_000;
const nothingToStop = async (): Promise<void> => {};

/** A Kafka that somebody else runs. Rejects when none of its brokers answers. */
export async function useConfiguredKafka(access: KafkaAccess): Promise<StartedBackend> {
  const problems: string[] = [];
  for (const broker of access.brokers) {
    try {
      const { metadataLevelMax } = await askKafka(broker, answerDeadlineMs, access);
      const origin = `${kafkaName(metadataLevelMax)} at the address in KAFKA_BROKERS`;
      return { address: access.brokers.join(','), origin, control: null, stop: nothingToStop };
    } catch (error) {
      problems.push(sentenceOf(error));
    }
  }
  throw new ProvisionError(
    `No broker of KAFKA_BROKERS answers: ${problems.join('; ')}. Start it, correct the address, or unset KAFKA_BROKERS to have one started here.`,
  );
}

/** A MongoDB that somebody else runs. Its address is never repeated: it may hold a password. */
export async function useConfiguredMongodb({ uri, tls }: MongodbAccess): Promise<StartedBackend> {
  try {
    const origin = `${await mongodbVersion(uri, answerDeadlineMs, tls)} at the address in MONGODB_URI`;
    return { address: uri, origin, control: null, stop: nothingToStop };
  } catch (error) {
    throw new ProvisionError(
      `The server of MONGODB_URI does not answer: ${sentenceOf(error)}. Start it, correct the address, or unset MONGODB_URI to have one started here.`,
    );
  }
}
