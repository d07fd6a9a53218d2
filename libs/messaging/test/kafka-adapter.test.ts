import { waitFor } from '@inventory/testkit/wait-for';
import { explicitRetry } from '../src/kafka/kafkajs/guards.ts';
import { openKafkajsProducer } from '../src/kafka/kafkajs/producer.ts';
import { createRecordSender } from '../src/kafka/record-sender.ts';
import { describeDelivery } from './contract/kafka-delivery.ts';
import { openKafkaWorld } from './support/kafka-world.ts';

describeDelivery();

test('a deleted topic does not block messages of other topics', async () => {
  const world = await openKafkaWorld();
  const sender = createRecordSender(
    await openKafkajsProducer(world.kafka, { ...explicitRetry, retries: 1 }),
  );
  const record = { key: 'k', value: Buffer.from('v'), headers: {} };
  // The client's own wait for leaders ends at once where the broker lacks the topic.
  const create = async (topic: string) => {
    await world.admin.createTopics({ topics: [{ topic }], waitForLeaders: false });
    const isThere = async () => (await world.admin.fetchTopicOffsets(topic)).length > 0;
    await waitFor(`${topic} exists`, isThere);
  };
  const doomed = world.physical('doomed');
  const created = world.physical('created-later');
  await create(doomed);
  await sender.send([{ topic: doomed, records: [record] }]);
  await world.admin.deleteTopics({ topics: [doomed] });
  await create(created);

  // A new topic makes the producer refresh the metadata of all topics it has used.
  await waitFor('the other topic can be sent to', async () => {
    await sender.send([{ topic: created, records: [record] }]);
    return true;
  });

  expect((await world.read('created-later')).length).toBeGreaterThan(0);
  await expect(sender.send([{ topic: doomed, records: [record] }])).rejects.toThrow();
  await sender.send([{ topic: created, records: [record] }]);
  await sender.close();
  await world.close();
});
