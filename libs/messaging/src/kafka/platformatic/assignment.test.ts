import type { ClusterMetadata, ExtendedGroupProtocolSubscription } from '@platformatic/kafka';
import { partitionAssigner } from './assignment.ts';

test('partitions are assigned in the order of the names of the members, as with kafkajs', () => {
  const names = ['c', 'a', 'b'];
  const member = (memberId: string) =>
    ({ memberId, version: 1 }) as ExtendedGroupProtocolSubscription;
  const members = new Map(names.map((name) => [name, member(name)]));
  const metadata = {
    topics: new Map([
      ['t', { partitionsCount: 2 }],
      ['u', { partitionsCount: 2 }],
    ]),
  } as unknown as ClusterMetadata;

  const assigned = partitionAssigner('b', members, new Set(['t', 'u']), metadata);

  const partitions = assigned.map(({ memberId, assignments }) => [
    memberId,
    [...assignments.values()].map((one) => `${one.topic} ${one.partitions}`),
  ]);
  expect(partitions).toEqual([
    ['a', ['t 0', 'u 1']],
    ['b', ['t 1']],
    ['c', ['u 0']],
  ]);
});
