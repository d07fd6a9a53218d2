import { clientVersions, versionProblems } from './broker-versions.ts';

/** A broker that supports exactly the client's versions. */
function matchingBroker() {
  return new Map([...clientVersions()].map(([key, { min, max }]) => [key, { min, max }]));
}

test('the client supports versions of brokers from 2.1 to 4.3, for which it was chosen', () => {
  const spoken = [...clientVersions().values()].map(({ name, max }) => [name, max]);

  expect(Object.fromEntries(spoken)).toEqual({
    Produce: 7,
    Fetch: 11,
    ListOffsets: 3,
    Metadata: 6,
    OffsetCommit: 5,
    OffsetFetch: 4,
    GroupCoordinator: 2,
    JoinGroup: 5,
    Heartbeat: 3,
    LeaveGroup: 3,
    SyncGroup: 3,
    ApiVersions: 2,
  });
});

test('a broker with a common version of every request is no problem', () => {
  const newer = new Map(
    [...matchingBroker()].map(([key, { max }]) => [key, { min: max, max: max + 9 }]),
  );

  expect(versionProblems('one:9092', matchingBroker())).toEqual([]);
  expect(versionProblems('one:9092', newer)).toEqual([]);
});

test('a request whose versions the broker dropped is reported, with both ranges', () => {
  const offered = matchingBroker().set(0, { min: 9, max: 13 });

  expect(versionProblems('one:9092', offered)).toEqual([
    'Kafka broker one:9092 supports v9 to v13 of Produce, the client v0 to v7',
  ]);
});

test('a request that the broker does not support, or only in older versions, is reported', () => {
  const offered = matchingBroker();
  offered.delete(11);
  offered.set(3, { min: -2, max: -1 });

  expect(versionProblems('one:9092', offered)).toEqual([
    expect.stringContaining('v-2 to v-1 of Metadata'),
    expect.stringContaining('none of JoinGroup'),
  ]);
});
