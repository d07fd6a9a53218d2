import { clientVersions, versionProblems } from './broker-versions.ts';

/** A broker that offers exactly what the client speaks. */
function matchingBroker() {
  return new Map([...clientVersions()].map(([key, { min, max }]) => [key, { min, max }]));
}

test('the client speaks what brokers from 2.1 to 4.3 offer: the versions it was chosen for', () => {
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

test('a broker that offers a common version of everything is no problem', () => {
  const newer = new Map(
    [...matchingBroker()].map(([key, { max }]) => [key, { min: max, max: max + 9 }]),
  );

  expect(versionProblems('one:9092', matchingBroker())).toEqual([]);
  expect(versionProblems('one:9092', newer)).toEqual([]);
});

test('a request whose versions the broker dropped is named, with both ranges', () => {
  const offered = matchingBroker().set(0, { min: 9, max: 13 });

  expect(versionProblems('one:9092', offered)).toEqual([
    'Kafka broker one:9092 speaks v9 to v13 of Produce, the client v0 to v7',
  ]);
});

test('a request that the broker does not offer at all, or only too old, is named', () => {
  const offered = matchingBroker();
  offered.delete(11);
  offered.set(3, { min: -2, max: -1 });

  expect(versionProblems('one:9092', offered)).toEqual([
    expect.stringContaining('v-2 to v-1 of Metadata'),
    expect.stringContaining('none of JoinGroup'),
  ]);
});
