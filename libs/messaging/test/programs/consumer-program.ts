import { testLogger } from '@inventory/testkit/namespace';
import { createKafkajsWireClient } from '../../src/kafka/kafkajs/wire-client.ts';
import { createRecordSender } from '../../src/kafka/record-sender.ts';
import { startWorkConsumer } from '../../src/kafka/work-consumer.ts';
import { workTopic } from '../support/test-messages.ts';

/** A member of a group that prints what it handles, and hangs in its fifth message. */
async function consume(broker = '', topicPrefix = ''): Promise<void> {
  const timing = { sessionTimeoutMs: 6_000, heartbeatIntervalMs: 500 };
  const connection = { brokers: [broker], clientId: 'victim', logger: testLogger, timing };
  const wire = createKafkajsWireClient(connection);
  const sender = createRecordSender(await wire.openProducer());
  const work = {
    group: 'workers',
    topics: [workTopic],
    batchMax: 1,
    onBatch: async ([message]: readonly { id: string }[]) => {
      process.stdout.write(`begins ${message?.id}\n`);
      if (message?.id.endsWith('#5')) await new Promise(() => {});
    },
  } as const;
  await startWorkConsumer({ wire, sender, topicPrefix }, work);
}

void consume(...process.argv.slice(2));
