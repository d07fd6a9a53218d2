import type { Environment } from './environment.ts';

/** Services of the product, by their `service.name`. */
export const serviceNames = [
  'gateway',
  'refresh-collector',
  'billing-ledger',
  'revision-store',
  'event-stream',
] as const;
export type ServiceName = (typeof serviceNames)[number];

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Every topic: its producers, ordering key and retention. The replicas of a consumer share the work
 * of the topic, which then has a dead-letter topic; every replica of a reader reads the whole topic,
 * from its start on, and the ledger its price lists when it is rewound. The rights of each service
 * at the broker follow from it (`topic-access.ts`).
 */
export const topics = {
  'refresh.commands.v1': {
    key: 'refresh_id',
    retentionMs: 30 * dayMs,
    producers: ['gateway'],
    consumers: ['refresh-collector'],
    readers: [],
  },
  'billing.commands.v1': {
    key: 'account_id',
    retentionMs: 30 * dayMs,
    producers: ['gateway', 'refresh-collector'],
    consumers: ['billing-ledger'],
    readers: [],
  },
  'billing.outcomes.v1': {
    key: 'account_id',
    retentionMs: 30 * dayMs,
    producers: ['billing-ledger'],
    consumers: ['refresh-collector', 'event-stream'],
    readers: [],
  },
  'billing.price-lists.v1': {
    key: 'effective_at',
    retentionMs: 30 * dayMs,
    producers: ['billing-ledger'],
    consumers: [],
    readers: ['billing-ledger'],
  },
  'revision.commands.v1': {
    key: 'scan_id',
    retentionMs: 30 * dayMs,
    producers: ['refresh-collector', 'gateway'],
    consumers: ['revision-store'],
    readers: [],
  },
  'revision.outcomes.v1': {
    key: 'scan_id',
    retentionMs: 30 * dayMs,
    producers: ['revision-store'],
    consumers: ['refresh-collector'],
    readers: [],
  },
  'refresh.outcomes.v1': {
    key: 'project_id',
    retentionMs: 30 * dayMs,
    producers: ['refresh-collector', 'gateway'],
    consumers: ['event-stream'],
    readers: ['gateway'],
  },
  'project.events.v1': {
    key: 'project_id',
    retentionMs: hourMs,
    producers: ['event-stream'],
    consumers: ['refresh-collector'],
    readers: ['gateway'],
  },
  'authority.changes.v1': {
    key: 'account_id',
    retentionMs: hourMs,
    producers: ['gateway'],
    consumers: [],
    readers: ['gateway', 'event-stream'],
  },
  'replies.v1': {
    key: 'waiting_id',
    retentionMs: hourMs,
    producers: ['refresh-collector', 'billing-ledger'],
    consumers: [],
    readers: ['gateway'],
  },
} as const satisfies Record<
  string,
  {
    key: string;
    retentionMs: number;
    producers: readonly ServiceName[];
    consumers: readonly ServiceName[];
    readers: readonly ServiceName[];
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

/** Deployed once for each environment: each deployment has all messages, in a group of its own. */
const perEnvironment: ReadonlySet<ServiceName> = new Set(['refresh-collector']);

/** The environments in which a service is deployed on its own; one that serves both is live. */
export function environmentsOf(service: ServiceName): readonly Environment[] {
  return perEnvironment.has(service) ? ['live', 'sandbox'] : ['live'];
}

/** The group in which the replicas of a service share the work of a topic. */
export function consumerGroup(
  service: ServiceName,
  topic: TopicName,
  environment: Environment = 'live',
): string {
  const group = ownGroups[service]?.[topic] ?? service;
  return environment === 'live' ? group : `${group}-${environment}`;
}

/** Begins the name of each group in which a replica of the service reads whole topics. */
export const readerGroupPrefix = (service: string) => `${service}-`;

/** The part that a service has in a topic. */
export type TopicRole = 'producers' | 'consumers' | 'readers';

/** The topics that the catalogue names a service for. */
export function topicsOf(service: ServiceName, role: TopicRole): TopicName[] {
  return topicNames.filter((name) => {
    const named: readonly ServiceName[] = topics[name][role];
    return named.includes(service);
  });
}
