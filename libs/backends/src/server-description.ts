import { kafkaName } from './kafka-name.ts';
import { askKafka } from './kafka-probe.ts';
import { mongodbVersion } from './mongodb-probe.ts';

const answerDeadlineMs = 10_000;

/** Which Kafka answers at the first broker of a list, for the head of a benchmark table. */
export async function describeKafka(brokers: string): Promise<string> {
  const [first = ''] = brokers.split(',');
  return kafkaName((await askKafka(first, answerDeadlineMs)).metadataLevelMax);
}

/** Which server answers at a connection string, for example `SecantusDB 0.5.3-beta.196, …`. */
export function describeMongodb(uri: string): Promise<string> {
  return mongodbVersion(uri, answerDeadlineMs);
}
