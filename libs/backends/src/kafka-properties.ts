export interface KafkaPorts {
  readonly broker: number;
  /** The metadata quorum of one; only the broker itself connects to it. */
  readonly controller: number;
}

/** Broker settings by their names in Kafka's documentation. */
export type KafkaSettings = Readonly<Record<string, string | number | boolean>>;

/**
 * One broker that is its own controller. Folders are relative to the folder it runs in, so that no
 * path needs escaping. What is given wins.
 */
export function brokerSettings(ports: KafkaPorts, given: KafkaSettings): KafkaSettings {
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${ports.controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${ports.broker},CONTROLLER://127.0.0.1:${ports.controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${ports.broker}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': 'data',
    // Topics are made on purpose, with their settings; a misspelt name is an error.
    'auto.create.topics.enable': false,
    'default.replication.factor': 1,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    // 50 partitions each by default: files and start-up time that one broker has no use for.
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.num.partitions': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    // As long as commands and outcomes are kept: a shorter life would lose a group's offsets.
    'offsets.retention.minutes': 30 * 24 * 60,
    // The first member of a group starts at once instead of after 3 s.
    'group.initial.rebalance.delay.ms': 0,
    // 128 MiB of the heap by default.
    'log.cleaner.dedupe.buffer.size': 4 * 1024 * 1024,
    ...given,
  };
}

/** The broker's settings as its file of properties. */
export function kafkaProperties(ports: KafkaPorts, given: KafkaSettings = {}): string {
  return Object.entries(brokerSettings(ports, given))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Everything from INFO to standard output, which the log file receives. */
export const kafkaLogSettings = `status=error
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d{ISO8601} %p %c{1}: %m%n
rootLogger.level=info
rootLogger.appenderRef.out.ref=out
`;
