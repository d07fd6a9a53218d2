import { platformaticVersions } from './wire-client.ts';

test('the client supports versions of brokers from 2.1 to 4.3, and newer ones than the first', () => {
  const spoken = [...platformaticVersions()].map(([key, { name, min, max }]) => [
    name,
    key,
    min,
    max,
  ]);

  expect(spoken).toEqual([
    ['Produce', 0, 3, 11],
    ['Fetch', 1, 4, 17],
    ['ListOffsets', 2, 0, 9],
    ['Metadata', 3, 0, 12],
    ['OffsetCommit', 8, 0, 9],
    ['OffsetFetch', 9, 0, 9],
    ['FindCoordinator', 10, 0, 6],
    ['JoinGroup', 11, 0, 9],
    ['Heartbeat', 12, 0, 4],
    ['LeaveGroup', 13, 0, 5],
    ['SyncGroup', 14, 0, 5],
    ['ApiVersions', 18, 0, 4],
  ]);
});
