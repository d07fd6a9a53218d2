import type { TopicName } from '@inventory/contracts/topics';

/** Prefix of every topic and group name, so that several stacks can share a cluster. */
export type TopicPrefix = string;

export function physicalTopic(prefix: TopicPrefix, topic: string): string {
  return prefix + topic;
}

export function logicalTopic(prefix: TopicPrefix, topic: string): TopicName {
  return topic.slice(prefix.length) as TopicName;
}
