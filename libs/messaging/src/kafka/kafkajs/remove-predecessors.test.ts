import { clientIdOf } from '../instances.ts';
import { removePredecessors } from './remove-predecessors.ts';

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

  coordinator.connectionPool.clientId = clientIdOf('gateway', 'pod-1:8081', 'b');
  await removePredecessors(group);
  expect(coordinator.describeGroups).toHaveBeenCalledTimes(1);
  expect(coordinator.leaveGroup).not.toHaveBeenCalled();
});
