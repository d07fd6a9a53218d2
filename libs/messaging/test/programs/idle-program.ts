import { testLogger } from '@inventory/testkit/namespace';
import { Kafka, logLevel } from 'kafkajs';
import { createKafkaClient } from '../../src/kafka/client.ts';

/**
 * A process with one producer and one consumer that has nothing to do. Tells how often it went
 * round its event loop after it settled: with our client, or with the client as it comes.
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
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const before = performance.nodeTiming.uvMetricsInfo.loopCount;
  await new Promise((resolve) => setTimeout(resolve, Number(measuredMs)));
  const { loopCount } = performance.nodeTiming.uvMetricsInfo;
  process.stdout.write(`rounds ${loopCount - before}\n`);
  process.exit(0);
}

void idle(...process.argv.slice(2));
