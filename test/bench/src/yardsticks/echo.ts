import { Kafka, logLevel } from 'kafkajs';
import { openDurableWrites } from './durable-writes.ts';

/*
 * Bare kafkajs: takes each record of one topic and sends it on to another. Arguments: brokers, a
 * MongoDB to insert a document into before each is sent on, or nothing, then pairs of topics.
 */
async function main(): Promise<void> {
  const [brokers = '', mongodbUri = '', ...topics] = process.argv.slice(2);
  const { write } = await openDurableWrites(mongodbUri);
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  const route = new Map<string, string>();
  for (let index = 0; index < topics.length; index += 2) {
    route.set(topics[index] ?? '', topics[index + 1] ?? '');
  }
  const consumer = kafka.consumer({ groupId: `echo-${topics[0]}` });
  await consumer.connect();
  await consumer.subscribe({ topics: [...route.keys()], fromBeginning: true });
  consumer.on(consumer.events.GROUP_JOIN, () => process.send?.('ready'));
  await consumer.run({
    eachMessage: async ({ topic, message }) => {
      await write();
      await producer.send({
        topic: route.get(topic) ?? '',
        acks: -1,
        messages: [{ key: message.key, value: message.value }],
      });
    },
  });
}

void main();
