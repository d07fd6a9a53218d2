/** The first metadata.version level of each release of Kafka (org.apache.kafka.server.common). */
const releases: readonly (readonly [number, string])[] = [
  [30, '4.3'],
  [28, '4.2'],
  [26, '4.1'],
  [22, '4.0'],
  [21, '3.9'],
];

/**
 * A broker does not tell its version, but the highest metadata level that its software knows,
 * which rises with every release.
 */
export function kafkaName(metadataLevelMax: number | null): string {
  if (metadataLevelMax === null) return 'a Kafka broker of unknown version';
  const release = releases.find(([level]) => metadataLevelMax >= level)?.[1];
  return release === undefined
    ? `a Kafka broker (metadata level ${metadataLevelMax})`
    : `Kafka ${release} (metadata level ${metadataLevelMax})`;
}
