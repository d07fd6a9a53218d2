import { testLogger } from '@inventory/testkit/namespace';
import { Kafka, logLevel } from 'kafkajs';
import { createKafkaClient } from '../../src/kafka/kafkajs/client.ts';

let armed = 0;

const countTimers: ProxyHandler<typeof setTimeout> = {
  apply(target, self, args: [() => void, number]) {
    if (args[1] < 0) armed += 1;
    return Reflect.apply(target, self, args);
  },
};

/**
 * A process with one producer and one consumer that becomes idle. Prints how many timers it armed
 * for a past moment, which Node fires a millisecond later, before and while it is idle: with our
 * client, or with the plain one.
 */
async function idle(kind = '', broker = '', topic = '', measuredMs = '0'): Promise<void> {
  const kafka =
    kind === 'guarded'
      ? createKafkaClient({ brokers: [broker], clientId: 'idle', logger: testLogger })
      : new Kafka({ brokers: [broker], clientId: 'idle', logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  const consumer = kafka.consumer({
    groupId: `idle-${kind}-${process.pid}`,
    maxWaitTimeInMs: 1_000,
  });
  await Promise.all([producer.connect(), consumer.connect()]);
  await consumer.subscribe({ topics: [topic] });
  const fetched = new Promise((resolve) => consumer.on(consumer.events.FETCH, resolve));
  await consumer.run({ eachMessage: async () => {} });
  await producer.send({ topic, messages: [{ value: 'x' }] });
  await fetched;
  const before = armed;
  await new Promise((resolve) => setTimeout(resolve, Number(measuredMs)));
  process.stdout.write(`armed ${before} ${armed - before}\n`);
  process.exit(0);
}

globalThis.setTimeout = new Proxy(setTimeout, countTimers);
void idle(...process.argv.slice(2));
