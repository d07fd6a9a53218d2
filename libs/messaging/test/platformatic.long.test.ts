import { waitFor } from '@inventory/testkit/wait-for';
import { toKafkaMessage } from '../src/kafka/kafkajs/kafka-records.ts';
import { encode } from '../src/wire-record.ts';
import { describeBusContract } from './bus-contract.ts';
import { describeDelivery } from './contract/kafka-delivery.ts';
import { describeRejoin } from './contract/kafka-rejoin.ts';
import { describeReplacedMember } from './contract/kafka-replaced-member.ts';
import { describeStart } from './contract/kafka-start.ts';
import { openKafkaWorld } from './support/kafka-world.ts';
import { idsOf, recordWork } from './support/record-work.ts';
import { cancel, newKeys, workTopic } from './support/test-messages.ts';

const client = 'platformatic';

describeBusContract({ name: 'the bus on Kafka', openWorld: () => openKafkaWorld(client) });
describe('delivery', () => describeDelivery(client));
describe('start', () => describeStart(client));
describe('rejoining', () => describeRejoin(client));
describe('a replaced member', () => describeReplacedMember(client));

test('a partition that is added later is read from its beginning', async () => {
  const world = await openKafkaWorld(client);
  const bus = await world.openBus();
  const { handled } = await recordWork(bus);
  await waitFor('the bus is ready', () => bus.health().ready);
  const topic = world.physical(workTopic);
  await world.admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] });
  const [key = ''] = newKeys(1);
  const producer = world.kafka.producer();
  await producer.connect();
  const { record } = encode(cancel(key));

  await producer.send({ topic, messages: [{ ...toKafkaMessage(record), partition: 2 }] });

  // The member asks for the partitions of its topics once a minute.
  await waitFor('it is handled', () => idsOf(handled).includes(`${key}#0`), { withinMs: 150_000 });
  expect(handled[0]?.partition).toBe(2);
  await producer.disconnect();
  await world.close();
});
