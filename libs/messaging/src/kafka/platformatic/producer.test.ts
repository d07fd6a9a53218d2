import { testLogger } from '@inventory/testkit/namespace';
import { propertyRuns } from '@inventory/testkit/property-runs';
import {
  compatibilityPartitioner,
  defaultPartitioner,
  NetworkError,
  ProduceAcks,
  Producer,
} from '@platformatic/kafka';
import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { openPlatformaticProducer } from './producer.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const connection = { brokers: ['none:1'], clientId: 'test', logger: testLogger };
const partitions = 24;
const topic = 't';
const metadata = Array.from({ length: partitions }, (_, partitionId) => ({ partitionId }));
const byKafkajs = Partitioners.DefaultPartitioner();

const partitionOf = (partitioner: typeof compatibilityPartitioner, key: string) =>
  partitioner({ topic }, Buffer.from(key)) % partitions;

test('a key has the same partition with both clients, as it has not by default', () => {
  let differs = 0;
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      const partitionMetadata = metadata as Parameters<typeof byKafkajs>[0]['partitionMetadata'];
      const wanted = byKafkajs({ topic, partitionMetadata, message: { key, value: null } });
      expect(partitionOf(compatibilityPartitioner, key)).toBe(wanted);
      if (partitionOf(defaultPartitioner, key) !== wanted) differs += 1;
    }),
    { numRuns: propertyRuns(200) },
  );
  // The defect itself: when this fails, the library has changed and the workaround can go.
  expect(differs).toBeGreaterThan(0);
});

test('the producer is plain, acknowledged by all replicas, never idempotent and repeats nothing itself', async () => {
  jest.spyOn(Producer.prototype, 'metadata').mockResolvedValue({} as never);
  const sent = jest.spyOn(Producer.prototype, 'send').mockResolvedValue({} as never);
  const producer = await openPlatformaticProducer(connection);

  await producer.send(topic, [{ key: 'k', value: Buffer.from('v'), headers: { h: 'text' } }]);

  expect(sent.mock.calls[0]?.[0]).toEqual({
    acks: ProduceAcks.ALL,
    idempotent: false,
    repeatOnStaleMetadata: false,
    partitioner: compatibilityPartitioner,
    messages: [
      {
        topic,
        key: Buffer.from('k'),
        value: Buffer.from('v'),
        headers: new Map([[Buffer.from('h'), Buffer.from('text')]]),
      },
    ],
  });
  await producer.close();
});

test.each([
  ['that may pass is repeated, after the leaders were asked for again', { canRetry: true }, 3],
  ['that will not is reported at once', { canRetry: false }, 1],
])('a failure %s', async (_case, { canRetry }, tries) => {
  jest.spyOn(Producer.prototype, 'metadata').mockResolvedValue({} as never);
  const cleared = jest.spyOn(Producer.prototype, 'clearMetadata');
  const sent = jest.spyOn(Producer.prototype, 'send');
  for (let failing = 0; failing < 2; failing += 1) {
    sent.mockRejectedValueOnce(new NetworkError('moved', { canRetry }));
  }
  sent.mockResolvedValue({} as never);
  const producer = await openPlatformaticProducer(connection);

  const sending = producer.send(topic, [{ key: 'k', value: Buffer.from('v'), headers: {} }]);

  if (canRetry) await sending;
  else await expect(sending).rejects.toMatchObject({ name: 'NetworkError' });
  expect(sent).toHaveBeenCalledTimes(tries);
  expect(cleared).toHaveBeenCalledTimes(Math.min(2, tries));
  await producer.close();
});
