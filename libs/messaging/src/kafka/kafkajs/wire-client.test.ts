import { kafkajsVersions } from './wire-client.ts';

test('the client supports versions of brokers from 2.1 to 4.3, for which it was chosen', () => {
  const spoken = [...kafkajsVersions().values()].map(({ name, max }) => [name, max]);

  expect(Object.fromEntries(spoken)).toEqual({
    Produce: 7,
    Fetch: 11,
    ListOffsets: 3,
    Metadata: 6,
    OffsetCommit: 5,
    OffsetFetch: 4,
    FindCoordinator: 2,
    JoinGroup: 5,
    Heartbeat: 3,
    LeaveGroup: 3,
    SyncGroup: 3,
    ApiVersions: 2,
  });
});
