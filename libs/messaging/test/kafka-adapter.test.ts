import { testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { BusOverloaded, type ReceivedMessage } from '../src/bus.ts';
import { createKafkaClient } from '../src/kafka/client.ts';
import { explicitRetry } from '../src/kafka/guards.ts';
import { createRecordSender, recordsWaitingMax } from '../src/kafka/producer.ts';
import { startWorkConsumer } from '../src/kafka/work-consumer.ts';
import { type KafkaWorld, openKafkaWorld } from './support/kafka-world.ts';
import { idsOf, recordWork } from './support/record-work.ts';
import {
  authorityChange,
  cancel,
  cancels,
  firstPlaces,
  newKeys,
  upTo,
  workTopic,
} from './support/test-messages.ts';

let world: KafkaWorld;

beforeEach(async () => {
  world = await openKafkaWorld();
});
afterEach(() => world.close());

const pauseOf = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

/** The shortest membership that a broker allows, so that a lost one is seen soon. */
const shortTiming = { sessionTimeoutMs: 6_000, heartbeatIntervalMs: 500 };

test('more than the queue holds is refused as a whole, and nothing of it is sent', async () => {
  const bus = await world.openBus();
  const { handled } = await recordWork(bus);
  const [key = '', last = ''] = newKeys(2);

  await expect(bus.publish(cancels(key, recordsWaitingMax + 1))).rejects.toThrow(BusOverloaded);

  await bus.publish([cancel(last)]);
  await waitFor('what was sent later is handled', () => handled.length > 0);
  expect(idsOf(handled)).toEqual([`${last}#0`]);
});

test('a topic that was deleted does not keep messages of other topics from being sent', async () => {
  const sender = await createRecordSender(world.kafka, {
    retry: { ...explicitRetry, retries: 1 },
  });
  const record = { key: 'k', value: Buffer.from('v'), headers: {} };
  // The client's own wait for leaders ends at once where the broker does not know the topic yet.
  const create = async (topic: string) => {
    await world.admin.createTopics({ topics: [{ topic }], waitForLeaders: false });
    const isThere = async () => (await world.admin.fetchTopicOffsets(topic)).length > 0;
    await waitFor(`${topic} is there`, isThere);
  };
  const doomed = world.physical('doomed');
  const created = world.physical('created-later');
  await create(doomed);
  await sender.send([{ topic: doomed, records: [record] }]);
  await world.admin.deleteTopics({ topics: [doomed] });
  await create(created);

  // A topic that is new to the producer makes it ask for all that it ever touched.
  await waitFor('the other topic can be sent to', async () => {
    await sender.send([{ topic: created, records: [record] }]);
    return true;
  });

  expect((await world.read('created-later')).length).toBeGreaterThan(0);
  await expect(sender.send([{ topic: doomed, records: [record] }])).rejects.toThrow();
  await sender.send([{ topic: created, records: [record] }]);
  await sender.close();
});

test('a record as large as a topic takes fits into the dead letters with its reason', async () => {
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

test('a handler slower than the session timeout keeps its membership and is not repeated', async () => {
  const bus = await world.openBus();
  const [key = ''] = newKeys(1);
  const begun: ReceivedMessage[] = [];
  const sender = await createRecordSender(world.kafka);
  const context = {
    connection: { brokers: world.namespace.kafkaBrokers, clientId: 'slow', logger: testLogger },
    sender,
    topicPrefix: world.namespace.topicPrefix,
  };
  let ended = false;
  const work = {
    group: 'slow',
    topics: [workTopic],
    onBatch: async (messages: readonly ReceivedMessage[]) => {
      begun.push(...messages);
      await pauseOf(shortTiming.sessionTimeoutMs + 2_500);
      ended = true;
    },
  } as const;
  const members = [
    await startWorkConsumer(context, work, shortTiming),
    await startWorkConsumer(context, work, shortTiming),
  ];
  await bus.publish([cancel(key)]);

  await waitFor('the slow handler ends', () => ended);
  await pauseOf(1_000);

  expect(idsOf(begun)).toEqual([`${key}#0`]);
  await Promise.all(members.map((member) => member.stop()));
  await sender.close();
});

test('a slow handler holds up no other partition', async () => {
  const bus = await world.openBus();
  const keys = newKeys(40);
  const [slow = '', ...others] = keys;
  const unblocked = Promise.withResolvers<void>();
  let begun = false;
  const work = await recordWork(bus, {
    batchMax: 1,
    onBatch: async (messages) => {
      if (!messages.some(({ key }) => key === slow)) return;
      begun = true;
      await unblocked.promise;
    },
  });
  await bus.publish([cancel(slow)]);
  await waitFor('the slow message is being handled', () => begun);

  await bus.publish(others.map((key) => cancel(key)));

  await waitFor('those of other partitions are handled', () => work.handled.length > 0);
  expect(idsOf(work.handled)).not.toContain(`${slow}#0`);
  unblocked.resolve();
  await waitFor('all is handled', () => work.handled.length === keys.length);
});

test('a backlog on one partition gives way to the others', async () => {
  const bus = await world.openBus();
  const keys = newKeys(40);
  const [busy = ''] = keys;
  await bus.publish(cancels(busy, 40));
  let busyPartition: number | undefined;
  const slow = async (messages: readonly ReceivedMessage[]) => {
    if (!messages.some(({ key }) => key === busy)) return;
    busyPartition = messages[0]?.partition;
    await pauseOf(200);
  };
  const first = await recordWork(bus, { batchMax: 1, onBatch: slow });
  await waitFor('the backlog is worked on', () => first.handled.length > 1);

  const handledBefore = first.handled.length;
  await bus.publish(keys.map((key) => cancel(key, 100)));
  await waitFor('all is handled', () => new Set(idsOf(first.handled)).size === 40 + keys.length);

  // One turn of a partition is a second, five of the backlog, and a turn may have begun.
  const servedAt = first.handled.findIndex(({ partition }) => partition !== busyPartition);
  expect(servedAt - handledBefore).toBeLessThan(20);
  expect(firstPlaces(first.handled, busy)).toEqual([...upTo(40), 100]);
});

test('a reader that loses its partition and gets it back hears what was sent meanwhile', async () => {
  const bus = await world.openBus();
  const heard: string[] = [];
  const topic = world.physical('authority.changes.v1');
  await bus.broadcast({
    name: 'authority',
    topics: ['authority.changes.v1'],
    onMessage: ({ id }) => void heard.push(id),
  });
  await bus.publish([authorityChange('a')]);
  await waitFor('the first is heard', () => heard.includes('a'));
  const { groups } = await world.admin.listGroups();
  const groupId = groups.find((group) => group.groupId.startsWith(world.physical('authority-')));
  // Partitions are dealt in the order of the members' names.
  const { kafkaBrokers: brokers } = world.namespace;
  const kafka = createKafkaClient({ brokers, clientId: 'a-rival', logger: testLogger });
  const rival = kafka.consumer({ groupId: groupId?.groupId ?? '', heartbeatInterval: 500 });
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

  await waitFor('the last is heard', () => heard.includes('c'));
  expect(heard).toEqual(['a', 'b', 'c']);
});
