import { patientTiming, testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { BusOverloaded, type WorkConsumer } from '../src/bus.ts';
import { createKafkaClient } from '../src/kafka/kafkajs/client.ts';
import { explicitRetry } from '../src/kafka/kafkajs/guards.ts';
import { toKafkaMessage } from '../src/kafka/kafkajs/kafka-records.ts';
import { openKafkajsProducer } from '../src/kafka/kafkajs/producer.ts';
import { createRecordSender, recordsWaitingMax } from '../src/kafka/record-sender.ts';
import { encode } from '../src/wire-record.ts';
import { startCoordinatorProxy } from './support/coordinator-proxy.ts';
import { type KafkaWorld, openKafkaWorld } from './support/kafka-world.ts';
import { idsOf, recordWork } from './support/record-work.ts';
import {
  authorityChange,
  cancel,
  cancels,
  firstIndexes,
  newKeys,
  upTo,
  workTopic,
} from './support/test-messages.ts';

let world: KafkaWorld;

beforeEach(async () => {
  world = await openKafkaWorld();
});
afterEach(() => world.close());

test('a call beyond the capacity of the queue is refused as a whole, and nothing of it is sent', async () => {
  const bus = await world.openBus();
  const { handled } = await recordWork(bus);
  const [key = '', last = ''] = newKeys(2);

  await expect(bus.publish(cancels(key, recordsWaitingMax + 1))).rejects.toThrow(BusOverloaded);

  await bus.publish([cancel(last)]);
  await waitFor('a later message is handled', () => handled.length > 0);
  expect(idsOf(handled)).toEqual([`${last}#0`]);
});

test('a record of the largest size fits into the dead letters with its reason', async () => {
  const bus = await world.openBus();
  await recordWork(bus);
  const value = Buffer.alloc(1_048_588 - 100, 'x');

  await world.put(workTopic, { key: 'k', value, headers: {} });

  const [letter] = await waitFor('it is in the dead letters', async () => {
    const letters = await world.letters(workTopic);
    return letters.length === 1 && letters;
  });
  expect(letter?.value.equals(value)).toBe(true);
});

test('a batching consumer takes a message before its window, which a stop ends', async () => {
  const bus = await world.openBus();
  const [key = ''] = newKeys(1);
  // Longer than a test may take.
  const { handled, stop } = await recordWork(bus, { batchWindowMs: 600_000 });

  await bus.publish([cancel(key)]);
  await waitFor('it is handled', () => handled.length === 1);

  await stop();
});

test('a gathering consumer takes the messages of its window together', async () => {
  const bus = await world.openBus();
  const [key = ''] = newKeys(1);
  const batches: string[][] = [];
  const { handled } = await recordWork(bus, {
    batchWindowMs: 3_000,
    onBatch: async (messages) => void batches.push(idsOf(messages)),
  });

  await bus.publish([cancel(key, 0)]);
  await waitFor('the first is handled', () => handled.length === 1);
  for (const serial of [1, 2, 3]) await bus.publish([cancel(key, serial)]);
  await waitFor('all are handled', () => handled.length === 4);

  expect(batches.map(({ length }) => length)).toEqual([1, 3]);
});

test('a member sends heartbeats while a handler runs, and the message is not redelivered', async () => {
  const proxy = await startCoordinatorProxy(world.namespace.kafkaBrokers[0] ?? '');
  const bus = await world.openBus();
  const member = await world.openBus({ brokers: [proxy.address] });
  const [key = ''] = newKeys(1);
  const begun = Promise.withResolvers<void>();
  const unblocked = Promise.withResolvers<void>();
  const work = await recordWork(member, {
    onBatch: async () => {
      begun.resolve();
      await unblocked.promise;
    },
  });
  await bus.publish([cancel(key)]);
  await begun.promise;

  const heartbeats = proxy.passed('heartbeat');
  await waitFor('more heartbeats', () => proxy.passed('heartbeat') >= heartbeats + 3);
  unblocked.resolve();
  await waitFor('it is handled', () => work.handled.length > 0);
  await bus.publish([cancel(key, 1)]);

  await waitFor('the next one is handled', () => work.handled.length > 1);
  expect(idsOf(work.handled)).toEqual([`${key}#0`, `${key}#1`]);
  await member.close();
  proxy.close();
});

test('a backlog on one partition does not delay the others', async () => {
  const bus = await world.openBus();
  const keys = newKeys(40);
  const [busy = ''] = keys;
  // More than one fetch of a partition, and more than its queue holds.
  for (const message of cancels(busy, 80)) {
    const { record } = encode(message);
    const body = { ...JSON.parse(String(record.value)), padding: 'x'.repeat(20_000) };
    await world.put(workTopic, { ...record, value: Buffer.from(JSON.stringify(body)) });
  }
  const begun = Promise.withResolvers<void>();
  const unblocked = Promise.withResolvers<void>();
  const work = await recordWork(bus, {
    batchMax: 1,
    onBatch: async (messages) => {
      if (!messages.some(({ key }) => key === busy)) return;
      begun.resolve();
      await unblocked.promise;
    },
  });
  await begun.promise;

  await bus.publish(keys.map((key) => cancel(key, 100)));

  await waitFor('those of other partitions are handled', () => work.handled.length > 0);
  expect(firstIndexes(work.handled, busy)).toEqual([]);
  unblocked.resolve();
  await waitFor('all is handled', () => new Set(idsOf(work.handled)).size === 80 + keys.length);
  expect(firstIndexes(work.handled, busy)).toEqual([...upTo(80), 100]);
});

test('a record has the time of the broker, whatever its sender wrote', async () => {
  const bus = await world.openBus();
  const times: number[] = [];
  const onBatch: WorkConsumer['onBatch'] = async (messages) => {
    times.push(...messages.map(({ writtenAtMs }) => writtenAtMs));
  };
  await bus.consume({ group: 'workers', topics: ['refresh.commands.v1'], onBatch });
  const producer = world.kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const [key = ''] = newKeys(1);
  const { record } = encode(cancel(key, 1));
  const inTheFuture = Date.UTC(2200, 0);

  for (const sentAtMs of [0, inTheFuture]) {
    await producer.send({
      topic: world.physical('refresh.commands.v1'),
      messages: [{ ...toKafkaMessage(record), timestamp: String(sentAtMs) }],
    });
  }

  await waitFor('both are received', () => times.length === 2);
  await producer.disconnect();
  const [first = 0, second = 0] = times;
  expect(first).toBeGreaterThan(Date.UTC(2025, 0));
  expect(second).toBeGreaterThanOrEqual(first);
  expect(second).toBeLessThan(inTheFuture);
});

test('a reader whose partition is reassigned and returned receives what was sent meanwhile', async () => {
  const bus = await world.openBus();
  const received: string[] = [];
  const topic = world.physical('authority.changes.v1');
  await bus.broadcast({
    name: 'authority',
    topics: ['authority.changes.v1'],
    onMessage: ({ id }) => void received.push(id),
  });
  await bus.publish([authorityChange('a')]);
  await waitFor('the first is received', () => received.includes('a'));
  const { groups } = await world.admin.listGroups();
  const groupId = groups.find((group) =>
    group.groupId.startsWith(world.physical('test-authority-')),
  );
  // Partitions are assigned in the order of the members' names.
  const { kafkaBrokers: brokers } = world.namespace;
  const kafka = createKafkaClient({
    brokers,
    timing: patientTiming,
    clientId: 'a-rival',
    logger: testLogger,
  });
  const rival = kafka.consumer({
    groupId: groupId?.groupId ?? '',
    heartbeatInterval: 500,
    maxWaitTimeInMs: 100,
  });
  await rival.connect();
  await rival.subscribe({ topics: [topic] });
  const taken = new Promise<void>((resolve) => {
    rival.on(rival.events.GROUP_JOIN, ({ payload }) => {
      if (payload.memberAssignment[topic]?.length === 1) resolve();
    });
  });
  await rival.run({ autoCommit: false, eachMessage: async () => {} });
  await taken;

  await bus.publish([authorityChange('b')]);
  await rival.disconnect();
  await bus.publish([authorityChange('c')]);

  await waitFor('the last is received', () => received.includes('c'));
  expect(received).toEqual(['a', 'b', 'c']);
});

test('a deleted topic does not block messages of other topics', async () => {
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
});
