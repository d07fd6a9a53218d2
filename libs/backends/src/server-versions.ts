/** Which servers are provisioned; a test compares this with docker-compose.yml. */
export const serverVersions = {
  kafka: '4.3.0',
  kafkaImage: 'apache/kafka:4.3.0',
  mongodbImage: 'mongo:8',
  /** Binds log4j to the logging interface Kafka writes to; the broker's own log4j-core version. */
  log4j: '2.25.4',
  /** The last wheel that carries the Rust server; later ones hold only the Python server. */
  secantusWheel: '0.6.0b17',
} as const;
