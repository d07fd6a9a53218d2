import { kafkaName } from './kafka-name.ts';
import { readApiVersions, readMetadata } from './kafka-wire.ts';

const correlationId = Buffer.from([0, 0, 0, 1]);

/** ApiVersions 3 with two interfaces and one supported feature, as a 4.3 broker lays it out. */
function apiVersionsReply(featureName: string, maxLevel: number): Buffer {
  const feature = Buffer.concat([
    Buffer.from([2, featureName.length + 1]),
    Buffer.from(featureName),
    Buffer.from([0, 7, 0, maxLevel, 0]),
  ]);
  return Buffer.concat([
    correlationId,
    Buffer.from([0, 0, 3, 0, 3, 0, 4, 0, 13, 0, 0, 18, 0, 0, 0, 4, 0]),
    Buffer.from([0, 0, 0, 0]),
    Buffer.from([2, 0, feature.length]),
    feature,
    Buffer.from([1, 8, 0, 0, 0, 0, 0, 0, 0, 9]),
  ]);
}

test('the metadata level that a broker supports names its release', () => {
  const { metadataLevelMax } = readApiVersions(apiVersionsReply('metadata.version', 30));

  expect(metadataLevelMax).toBe(30);
  expect(kafkaName(metadataLevelMax)).toBe('Kafka 4.3 (metadata level 30)');
});

test('a broker that tells no metadata level is still described', () => {
  const { metadataLevelMax } = readApiVersions(apiVersionsReply('group.version', 1));

  expect(metadataLevelMax).toBeNull();
  expect(kafkaName(metadataLevelMax)).toBe('a Kafka broker of unknown version');
});

test('an old broker that refuses the version asked for is no failure', () => {
  const unsupportedVersion = Buffer.from([0, 35]);

  const answer = readApiVersions(Buffer.concat([correlationId, unsupportedVersion]));

  expect(answer.metadataLevelMax).toBeNull();
});

test('a reply cut short at any byte is an error, never a wrong answer', () => {
  const reply = apiVersionsReply('metadata.version', 30);
  const metadata = Buffer.concat([correlationId, Buffer.from([0, 0, 0, 0, 0, 0, 0, 1])]);

  for (let length = 0; length < reply.length; length += 1) {
    expect(() => readApiVersions(reply.subarray(0, length))).toThrow(RangeError);
  }
  for (let length = 0; length < metadata.length; length += 1) {
    expect(() => readMetadata(metadata.subarray(0, length))).toThrow(RangeError);
  }
  expect(readMetadata(metadata).brokers).toBe(1);
});

test('a number without an end is an error', () => {
  const endless = Buffer.concat([correlationId, Buffer.from([0, 0]), Buffer.alloc(16, 0xff)]);

  expect(() => readApiVersions(endless)).toThrow(RangeError);
});
