import { versionProblems } from './broker-versions.ts';

const spoken = new Map([
  [0, { name: 'Produce', min: 0, max: 7 }],
  [3, { name: 'Metadata', min: 0, max: 6 }],
  [11, { name: 'JoinGroup', min: 0, max: 5 }],
]);

/** A broker that supports exactly the client's versions. */
function matchingBroker() {
  return new Map([...spoken].map(([key, { min, max }]) => [key, { min, max }]));
}

test('a broker with a common version of every request is no problem', () => {
  const newer = new Map(
    [...matchingBroker()].map(([key, { max }]) => [key, { min: max, max: max + 9 }]),
  );

  expect(versionProblems('one:9092', matchingBroker(), spoken)).toEqual([]);
  expect(versionProblems('one:9092', newer, spoken)).toEqual([]);
});

test('a request whose versions the broker dropped is reported, with both ranges', () => {
  const offered = matchingBroker().set(0, { min: 9, max: 13 });

  expect(versionProblems('one:9092', offered, spoken)).toEqual([
    'Kafka broker one:9092 supports v9 to v13 of Produce, the client v0 to v7',
  ]);
});

test('a request that the broker does not support, or only in older versions, is reported', () => {
  const offered = matchingBroker();
  offered.delete(11);
  offered.set(3, { min: -2, max: -1 });

  expect(versionProblems('one:9092', offered, spoken)).toEqual([
    expect.stringContaining('v-2 to v-1 of Metadata'),
    expect.stringContaining('none of JoinGroup'),
  ]);
});
