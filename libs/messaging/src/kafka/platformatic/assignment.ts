import { type GroupPartitionsAssigner, roundRobinAssigner } from '@platformatic/kafka';

/**
 * As kafkajs names and makes it: members of both share a group while a service is rolled, and an
 * assignment depends on the names of the members, not on the one that makes it.
 */
export const protocols = [{ name: 'RoundRobinAssigner', version: 1 }];

export const partitionAssigner: GroupPartitionsAssigner = (current, members, topics, metadata) => {
  const byName = [...members].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return roundRobinAssigner(current, new Map(byName), topics, metadata);
};
