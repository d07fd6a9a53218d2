import { withDeadline } from '@inventory/runtime/wait';
import { type Kafka, Partitioners, type Producer, type RetryOptions } from 'kafkajs';
import type { WireProducer } from '../wire-client.ts';
import { explicitRetry } from './guards.ts';
import { toKafkaMessage } from './kafka-records.ts';

const disconnectDeadlineMs = 2_000;

/**
 * The producer is not idempotent: after a request timeout that mode reuses sequence numbers, and the
 * broker acknowledges a record that it never wrote.
 */
export async function openKafkajsProducer(
  kafka: Kafka,
  retry: RetryOptions = explicitRetry,
): Promise<WireProducer> {
  let producer = await connect(kafka, retry);
  let replacing: Promise<void> | undefined;

  /**
   * The client refreshes the metadata of all topics it has used at once: one that was deleted or is
   * denied fails all.
   */
  async function replace(broken: Producer): Promise<void> {
    producer = await connect(kafka, retry);
    void withDeadline(broken.disconnect(), disconnectDeadlineMs, 'disconnecting').catch(ignore);
  }

  return {
    async send(topic, records) {
      const used = producer;
      try {
        await used.send({
          topic,
          acks: -1,
          timeout: 10_000,
          messages: records.map(toKafkaMessage),
        });
      } catch (error) {
        if (isOfTheTopic(error) && used === producer) {
          replacing ??= replace(used).finally(() => {
            replacing = undefined;
          });
          await replacing.catch(ignore);
        }
        throw error;
      }
    },
    close: () => producer.disconnect(),
  };
}

async function connect(kafka: Kafka, retry: RetryOptions): Promise<Producer> {
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
    idempotent: false,
    metadataMaxAge: 60_000,
    retry,
  });
  await producer.connect();
  return producer;
}

const topicErrors: readonly unknown[] = [
  'UNKNOWN_TOPIC_OR_PARTITION',
  'TOPIC_AUTHORIZATION_FAILED',
];

/** The topic does not exist, or this user has no right to it: other topics can be sent to. */
function isOfTheTopic(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (topicErrors.includes((cause as { type?: unknown }).type)) return true;
  }
  return false;
}

/** A send to another topic finds the client as it is. */
function ignore(): void {}
