import { messages } from '@inventory/contracts/messages';
import {
  type ServiceName,
  type TopicName,
  type TopicRole,
  topicsOf,
} from '@inventory/contracts/topics';
import { invariant } from '@inventory/runtime/bug';
import type { MessageBus } from './bus.ts';

/**
 * The bus of one service, for the topics that the catalogue names the service for: the rights of its
 * Kafka user follow from the catalogue, and brokers without an authorizer refuse nothing.
 */
export function cataloguedBus(service: ServiceName, bus: MessageBus): MessageBus {
  const roles = {
    producers: new Set(topicsOf(service, 'producers')),
    consumers: new Set(topicsOf(service, 'consumers')),
    readers: new Set(topicsOf(service, 'readers')),
  } as const;

  function requireNamed(role: TopicRole, names: readonly TopicName[]): void {
    for (const name of names) {
      invariant(
        roles[role].has(name),
        `the topic catalogue does not name ${service} among the ${role} of ${name}`,
      );
    }
  }

  return {
    ...bus,
    async publish(outgoing) {
      requireNamed(
        'producers',
        outgoing.map(({ type }) => messages[type].topic),
      );
      await bus.publish(outgoing);
    },
    async consume(consumer) {
      requireNamed('consumers', consumer.topics);
      return await bus.consume(consumer);
    },
    async broadcast(consumer) {
      requireNamed('readers', consumer.topics);
      return await bus.broadcast(consumer);
    },
  };
}
