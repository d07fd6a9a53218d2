import { z } from 'zod';

/** Services of the product, by their `service.name`. */
export const serviceNames = [
  'gateway',
  'refresh-collector',
  'billing-ledger',
  'revision-store',
  'event-stream',
] as const;
export const serviceName = z.enum(serviceNames);
export type ServiceName = z.infer<typeof serviceName>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Every topic: producer, consumers, ordering key and retention. The replicas of a service share a
 * `work` topic, which has a dead-letter topic; every replica reads the whole of a `broadcast` topic,
 * from its start on.
 */
export const topics = {
  'refresh.commands.v1': {
    delivery: 'work',
    key: 'refresh_id',
    retentionMs: 30 * dayMs,
    producers: ['gateway'],
    consumers: ['refresh-collector'],
  },
  'billing.commands.v1': {
    delivery: 'work',
    key: 'account_id',
    retentionMs: 30 * dayMs,
    producers: ['gateway', 'refresh-collector'],
    consumers: ['billing-ledger'],
  },
  'billing.outcomes.v1': {
    delivery: 'work',
    key: 'account_id',
    retentionMs: 30 * dayMs,
    producers: ['billing-ledger'],
    consumers: ['refresh-collector', 'event-stream'],
  },
  'revision.commands.v1': {
    delivery: 'work',
    key: 'scan_id',
    retentionMs: 30 * dayMs,
    producers: ['refresh-collector', 'gateway'],
    consumers: ['revision-store'],
  },
  'revision.outcomes.v1': {
    delivery: 'work',
    key: 'scan_id',
    retentionMs: 30 * dayMs,
    producers: ['revision-store'],
    consumers: ['refresh-collector'],
  },
  'refresh.outcomes.v1': {
    delivery: 'work',
    key: 'project_id',
    retentionMs: 30 * dayMs,
    producers: ['refresh-collector'],
    consumers: ['event-stream'],
  },
  'project.events.v1': {
    delivery: 'work',
    key: 'project_id',
    retentionMs: hourMs,
    producers: ['event-stream'],
    consumers: ['gateway', 'refresh-collector'],
  },
  'authority.changes.v1': {
    delivery: 'broadcast',
    key: 'account_id',
    retentionMs: hourMs,
    producers: ['gateway'],
    consumers: ['gateway', 'event-stream'],
  },
  'replies.v1': {
    delivery: 'broadcast',
    key: 'waiting_id',
    retentionMs: hourMs,
    producers: ['refresh-collector', 'billing-ledger'],
    consumers: ['gateway'],
  },
} as const satisfies Record<
  string,
  {
    delivery: 'work' | 'broadcast';
    key: string;
    retentionMs: number;
    producers: readonly ServiceName[];
    consumers: readonly ServiceName[];
  }
>;

export type TopicName = keyof typeof topics;
export const topicNames = Object.keys(topics) as TopicName[];

/** The topic of dead letters of a work topic. */
export function deadLetterTopic<Topic extends TopicName>(topic: Topic): `${Topic}.dead-letter` {
  return `${topic}.dead-letter`;
}

/** Consumed at another rate than the service's other topics, and so by a consumer of its own. */
const ownGroups: Partial<Record<ServiceName, Partial<Record<TopicName, string>>>> = {
  'event-stream': { 'billing.outcomes.v1': 'event-stream-balances' },
};

/** The group in which the replicas of a service share the work of a topic. */
export function consumerGroup(service: ServiceName, topic: TopicName): string {
  return ownGroups[service]?.[topic] ?? service;
}
