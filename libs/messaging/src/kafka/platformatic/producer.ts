import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { pause } from '@inventory/runtime/wait';
import { compatibilityPartitioner, ProduceAcks, Producer } from '@platformatic/kafka';
import type { WireRecord } from '../../wire-record.ts';
import type { KafkaConnection, WireProducer } from '../wire-client.ts';
import { clientOptions, explained, isTransient } from './client.ts';

const triesMax = 11;
const backoff = { firstMs: 100, maxMs: 2_000 } as const;

const sending = {
  acks: ProduceAcks.ALL,
  idempotent: false,
  partitioner: compatibilityPartitioner,
  repeatOnStaleMetadata: false,
};

/** By default the library hashes keys unlike every other client, and waits for the leader alone. */
export async function openPlatformaticProducer(connection: KafkaConnection): Promise<WireProducer> {
  const closing = new AbortController();
  const options = clientOptions(connection);
  const producer = new Producer(options);

  /** After a failure the leaders are asked for again. */
  async function retrying<Value>(attempt: () => Promise<Value>): Promise<Value> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        producer.clearMetadata();
        if (!isTransient(error) || tries === triesMax || closing.signal.aborted) {
          throw explained(error, options.context);
        }
        await pause(jitteredDelayMs(backoff, tries), closing.signal);
      }
    }
  }

  await retrying(() => producer.metadata({ topics: [] }));
  return {
    async send(topic, records) {
      const messages = records.map((record) => ({ topic, ...toMessage(record) }));
      await retrying(() => producer.send({ ...sending, messages }));
    },
    async close() {
      closing.abort();
      await producer.close();
    },
  };
}

function toMessage({ key, value, headers }: WireRecord) {
  const texts = Object.entries(headers);
  return {
    key: Buffer.from(key),
    value,
    headers: new Map(texts.map(([name, text]) => [Buffer.from(name), Buffer.from(text)])),
  };
}
