import type { TopicName } from '@inventory/contracts/topics';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import type { BusHealth, MessageBus, OutgoingMessage } from '../bus.ts';
import { inSendSpans } from '../send-spans.ts';
import { encode, type WireRecord } from '../wire-record.ts';
import { startBroadcastConsumer } from './broadcast-consumer.ts';
import { createKafkaClient } from './client.ts';
import { createRecordSender } from './producer.ts';
import { findRetentionGaps } from './topic-admin.ts';
import { type KafkaSubscription, startWorkConsumer } from './work-consumer.ts';

export interface KafkaBusOptions {
  readonly brokers: readonly string[];
  readonly service: string;
  /** Put before every topic and group name; empty where the cluster is the product's own. */
  readonly topicPrefix: string;
  readonly logger: Logger;
  readonly identifiers: Identifiers;
}

/** The message bus on Kafka: one producer, one consumer per subscription. */
export async function createKafkaBus(options: KafkaBusOptions): Promise<MessageBus> {
  const instance = `${options.service}-${options.identifiers.uuidV7()}`;
  const kafka = createKafkaClient({ ...options, clientId: instance });
  const sender = await createRecordSender(kafka);
  const { topicPrefix, logger } = options;
  const context = { kafka, sender, topicPrefix, logger };
  const subscriptions = new Set<KafkaSubscription>();
  const gaps: string[] = [];

  async function noteRetentionGaps(group: string, topics: readonly TopicName[]): Promise<void> {
    const admin = kafka.admin();
    await admin.connect();
    try {
      gaps.push(...(await findRetentionGaps(admin, { group, topics, topicPrefix })));
    } finally {
      await admin.disconnect();
    }
  }

  async function publish(messages: readonly OutgoingMessage[]): Promise<void> {
    const byTopic = new Map<TopicName, WireRecord[]>();
    for (const { topic, record } of messages.map(encode)) {
      const records = byTopic.get(topic);
      if (records) records.push(record);
      else byTopic.set(topic, [record]);
    }
    await Promise.all(
      [...byTopic].map(([topic, records]) => sender.send(topicPrefix + topic, records)),
    );
  }

  function track(subscription: KafkaSubscription): KafkaSubscription {
    subscriptions.add(subscription);
    return {
      ...subscription,
      stop: async () => {
        subscriptions.delete(subscription);
        await subscription.stop();
      },
    };
  }

  return {
    publish: (messages) => inSendSpans(messages, publish),
    async consume(work) {
      await noteRetentionGaps(work.group, work.topics);
      return track(await startWorkConsumer(context, work));
    },
    broadcast: async (broadcast) =>
      track(
        await startBroadcastConsumer(
          context,
          broadcast,
          `${topicPrefix}${broadcast.name}-${instance}`,
        ),
      ),
    health: () => healthOf([...subscriptions], gaps),
    async close() {
      await Promise.all([...subscriptions].map((subscription) => subscription.stop()));
      await sender.close();
    },
  };
}

function healthOf(subscriptions: KafkaSubscription[], gaps: readonly string[]): BusHealth {
  const problems = [...gaps, ...subscriptions.flatMap((subscription) => subscription.problems())];
  const joined = subscriptions.every(({ watch }) => watch.joined && watch.fetched);
  if (!joined) problems.push('a consumer has not joined its group');
  return {
    ready: problems.length === 0,
    alive: subscriptions.every(({ watch }) => watch.alive()),
    problems,
  };
}
