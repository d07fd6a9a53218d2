import { provisionBackends } from '@inventory/backends/provision-backends';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { testLogger } from '@inventory/testkit/namespace';
import type { MessageBus } from '../../src/bus.ts';
import { createKafkaBus } from '../../src/kafka/kafka-bus.ts';
import { ensureTopics } from '../../src/kafka/topic-admin.ts';

/** A broker of one test, which may stop it. */
export interface OwnBroker {
  readonly address: string;
  openBus(): Promise<MessageBus>;
  /** Ends the broker by SIGKILL. */
  kill(): Promise<void>;
  /** It accepts connections and answers nothing until it is resumed. */
  hang(): void;
  resume(): void;
  /** Restarts it on the same port with the same data. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startOwnBroker(): Promise<OwnBroker> {
  // biome-ignore lint/style/noProcessEnv: the broker's programs run in the environment of the test.
  const { KAFKA_BROKERS: _shared, ...environment } = process.env;
  const backends = await provisionBackends({ environment, docker: 'never' });
  const { kafka, kafkaBrokers: address } = backends;
  if (kafka === null) throw new Error('this broker is not a process of the test');
  const brokers = [address];
  const options = { brokers, topicPrefix: '', partitions: 2, replicationFactor: 1 };
  await ensureTopics({ ...options, logger: testLogger });
  return {
    address,
    openBus: () =>
      createKafkaBus({
        brokers,
        topicPrefix: '',
        service: 'test',
        logger: testLogger,
        identifiers: systemIdentifiers,
      }),
    hang: () => kafka.signal('SIGSTOP'),
    resume: () => kafka.signal('SIGCONT'),
    kill: () => kafka.stop('SIGKILL'),
    start: () => kafka.start(),
    close: () => backends.stop(),
  };
}
