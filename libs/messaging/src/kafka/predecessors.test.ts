import { clientIdOf, isPredecessor, removePredecessors } from './predecessors.ts';

const own = clientIdOf('gateway', 'pod-1:8081', 'b');

test.each([
  ['an earlier process of the instance', clientIdOf('gateway', 'pod-1:8081', 'a'), true],
  ['itself', own, false],
  ['another instance', clientIdOf('gateway', 'pod-10:8081', 'a'), false],
  ['another port', clientIdOf('gateway', 'pod-1:80810', 'a'), false],
  ['another service', clientIdOf('event-stream', 'pod-1:8081', 'a'), false],
  ['a process without an instance', clientIdOf('gateway', undefined, 'a'), false],
])('%s is removed: %s: %s', (_what, other, expected) => {
  expect(isPredecessor(other, own)).toBe(expected);
});

test('a process without an instance removes nothing, and a coordinator that fails prevents no join', async () => {
  const coordinator = {
    connectionPool: { clientId: clientIdOf('gateway', undefined, 'b') },
    describeGroups: jest.fn(() => Promise.reject(new Error('not authorized'))),
    leaveGroup: jest.fn(),
  };
  const cluster = { findGroupCoordinator: async () => coordinator };
  const group = { groupId: 'gateway', cluster };

  await removePredecessors(group);
  expect(coordinator.describeGroups).not.toHaveBeenCalled();

  coordinator.connectionPool.clientId = own;
  await removePredecessors(group);
  expect(coordinator.describeGroups).toHaveBeenCalledTimes(1);
  expect(coordinator.leaveGroup).not.toHaveBeenCalled();
});
