import type { Kafka, ProducerConfig, ProducerRecord } from 'kafkajs';
import { openKafkajsProducer } from './producer.ts';

test('the producer is plain, acknowledged by all replicas and never idempotent', async () => {
  const sent: ProducerRecord[] = [];
  const configs: ProducerConfig[] = [];
  const plain = { connect: async () => {}, send: async (each: ProducerRecord) => sent.push(each) };
  const kafka = {
    producer(config: ProducerConfig) {
      configs.push(config);
      return plain;
    },
  } as unknown as Kafka;
  const producer = await openKafkajsProducer(kafka);

  await producer.send('t', [{ key: 'k', value: Buffer.from('v'), headers: {} }]);

  expect(configs).toEqual([
    expect.objectContaining({ idempotent: false, allowAutoTopicCreation: false }),
  ]);
  expect(configs[0]?.createPartitioner).toBeDefined();
  expect(sent).toEqual([expect.objectContaining({ topic: 't', acks: -1, timeout: 10_000 })]);
});
