import { readerGroupPrefix, type TopicName } from '@inventory/contracts/topics';
import { monotonicNow } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { BusHealth, MessageBus, OutgoingMessage } from '../bus.ts';
import { inSendSpans } from '../send-spans.ts';
import { encode, type WireRecord } from '../wire-record.ts';
import { startBroadcastConsumer } from './broadcast-consumer.ts';
import { findVersionProblems } from './broker-versions.ts';
import { clientIdOf } from './instances.ts';
import { createKafkajsWireClient } from './kafkajs/wire-client.ts';
import { createRecordSender } from './record-sender.ts';
import { openRetentionGaps } from './retention-gaps.ts';
import { timingOf } from './timing.ts';
import { physicalTopic } from './topic-names.ts';
import type { ClusterReads } from './wire-client.ts';
import { type KafkaSubscription, startWorkConsumer } from './work-consumer.ts';

export interface KafkaBusOptions extends KafkaAccess {
  readonly service: string;
  /** What is the same after a restart of this process; see {@link clientIdOf}. */
  readonly instance?: string | undefined;
  /** Prefix of every topic and group name; empty on a dedicated cluster. */
  readonly topicPrefix: string;
  readonly logger: Logger;
  readonly identifiers: Identifiers;
}

/** The message bus on Kafka: one producer, one consumer per subscription. */
export async function createKafkaBus(options: KafkaBusOptions): Promise<MessageBus> {
  const { service } = options;
  const run = options.identifiers.uuidV7();
  const clientId = clientIdOf(service, options.instance, run);
  const { topicPrefix, logger } = options;
  const wire = createKafkajsWireClient({ ...options, clientId });
  const sender = createRecordSender(await wire.openProducer(), topicPrefix);
  const context = { wire, sender, topicPrefix };
  const stopping = new AbortController();
  const subscriptions = new Set<TrackedSubscription>();
  let readers = 0;
  /** Checked once: they last until the process is restarted. */
  const problems = await findVersionProblems(options, wire.versions());
  for (const problem of problems) logger.error({ problem }, 'incompatible broker');

  async function publish(messages: readonly OutgoingMessage[]): Promise<void> {
    const byTopic = new Map<TopicName, WireRecord[]>();
    for (const { topic, record } of messages.map(encode)) {
      const records = byTopic.get(topic);
      if (records) records.push(record);
      else byTopic.set(topic, [record]);
    }
    await sender.send(
      [...byTopic].map(([topic, records]) => ({
        topic: physicalTopic(topicPrefix, topic),
        records,
      })),
    );
  }

  const { topicsTimeoutMs: timeoutMs } = timingOf(options.timing);
  const untilTopicsExist = (names: readonly TopicName[]) =>
    wire.read((cluster) => {
      const topics = names.map((topic) => physicalTopic(topicPrefix, topic));
      return awaitTopics(cluster, { topics, timeoutMs, logger, stopping: stopping.signal });
    });

  function track(opened: KafkaSubscription, topics: readonly TopicName[]): KafkaSubscription {
    const subscription = { ...opened, topics };
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
      await untilTopicsExist(work.topics);
      const gaps = await openRetentionGaps(context, work);
      const consumer = await startWorkConsumer(context, work).catch((error: unknown) => {
        gaps.stop();
        throw error;
      });
      gaps.consuming();
      return track(
        {
          ...consumer,
          problems: () => [...gaps.problems(), ...consumer.problems()],
          stop: () => {
            gaps.stop();
            return consumer.stop();
          },
        },
        work.topics,
      );
    },
    async broadcast(broadcast) {
      await untilTopicsExist(broadcast.topics);
      // Two readers of one process must not share a group, or each would miss the other's messages.
      readers += 1;
      const groupId = `${topicPrefix}${readerGroupPrefix(service)}${broadcast.name}-${run}-${readers}`;
      return track(await startBroadcastConsumer(context, broadcast, groupId), broadcast.topics);
    },
    health: () => healthOf([...subscriptions], problems),
    async close() {
      await Promise.all([...subscriptions].map((subscription) => subscription.stop()));
      await sender.close();
      stopping.abort();
      wire.stop();
    },
  };
}

/** A consumer with the topics that it reads. */
interface TrackedSubscription extends KafkaSubscription {
  readonly topics: readonly TopicName[];
}

function healthOf(subscriptions: TrackedSubscription[], found: readonly string[]): BusHealth {
  const stopped = subscriptions.filter(({ watch }) => !watch.working());
  const problems = [
    ...found,
    ...subscriptions.flatMap((subscription) => subscription.problems()),
    ...stopped.map(({ topics }) => `Kafka: the consumer of ${topics.join(', ')} is not working`),
  ];
  return {
    started: found.length === 0 && subscriptions.every(({ watch }) => watch.hasStarted()),
    ready: problems.length === 0,
    alive: subscriptions.every(({ watch }) => watch.alive()),
    problems,
  };
}

/** Topics, and the right to see them, are given by deployment, not by a service. */
export class TopicsMissing extends Error {
  override name = 'TopicsMissing';
}

interface AwaitTopicsOptions {
  readonly topics: readonly string[];
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Ends the wait. */
  readonly stopping: AbortSignal;
}

const topicsPauseMs = 500;

/**
 * Waits for topics that the deployment is creating: on a first install services start beside its
 * job. Rejects with {@link TopicsMissing} after `timeoutMs`.
 */
async function awaitTopics(
  cluster: ClusterReads,
  { topics, timeoutMs, logger, stopping }: AwaitTopicsOptions,
): Promise<void> {
  const startMs = monotonicNow();
  for (let tries = 1; ; tries += 1) {
    const missing = await cluster.missing(topics);
    if (missing.length === 0) return;
    if (stopping.aborted || monotonicNow() - startMs >= timeoutMs) {
      throw new TopicsMissing(`Kafka has no topic ${missing.join(', ')} that this user may use`);
    }
    if (tries === 1) logger.warn({ missing, timeoutMs }, 'waiting for topics');
    await pause(topicsPauseMs, stopping);
  }
}
