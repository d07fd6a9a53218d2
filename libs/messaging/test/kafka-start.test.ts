import net from 'node:net';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import type { KafkaTiming } from '@inventory/runtime/kafka-access';
import { testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { compareTopics } from '../src/kafka/compare-topics.ts';
import { createKafkaBus, TopicsMissing } from '../src/kafka/kafka-bus.ts';
import { ensureTopics, topicConfigs } from '../src/kafka/topic-admin.ts';
import { type KafkaWorld, openKafkaWorld } from './support/kafka-world.ts';
import { startNewerBroker } from './support/newer-broker.ts';
import { idsOf, recordWork } from './support/record-work.ts';
import { cancel, cancels, newKeys, workTopic } from './support/test-messages.ts';

let world: KafkaWorld;

beforeEach(async () => {
  world = await openKafkaWorld();
});
afterEach(() => world.close());

test('this broker supports every request of the client, so the bus is ready', async () => {
  const bus = await world.openBus();
  await recordWork(bus);

  await waitFor('the bus is ready', () => bus.health().ready);
  expect(bus.health()).toEqual({ started: true, ready: true, alive: true, problems: [] });
});

test('with a broker that dropped a request of the client the bus never starts', async () => {
  const produce = 0;
  const [real = ''] = world.namespace.kafkaBrokers;
  const newer = await startNewerBroker(real, { key: produce, min: 99, max: 99 });
  const bus = await createKafkaBus({
    brokers: [newer.address],
    topicPrefix: world.namespace.topicPrefix,
    service: 'test',
    logger: testLogger,
    identifiers: systemIdentifiers,
  });

  const { started, problems } = bus.health();

  await bus.close();
  newer.close();
  expect(started).toBe(false);
  expect(problems).toContainEqual(
    expect.stringContaining(`Kafka broker ${newer.address} supports v99 to v99 of Produce`),
  );
});

test('when records expired before the group consumed them, the bus is not ready until the group is past them', async () => {
  const bus = await world.openBus();
  const [key = ''] = newKeys(1);
  const first = await recordWork(bus);
  await bus.publish(cancels(key, 3));
  const index = await waitFor('the first three are handled', () => first.handled[2]);
  await first.stop();
  await bus.publish(cancels(key, 7, 3));
  const topic = world.physical(workTopic);
  const { partition } = index;
  await world.admin.fetchTopicOffsets(topic);
  await world.admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: '8' }] });

  const late = await world.openBus();
  const second = await recordWork(late);

  expect(late.health().ready).toBe(false);
  expect(late.health().problems).toContainEqual(
    `${workTopic}/${partition}: position 3 is before the start of the log (8)`,
  );
  await waitFor('the remaining records are handled', () => second.handled.length === 2);
  expect(idsOf(second.handled)).toEqual([`${key}#8`, `${key}#9`]);
  await waitFor('the bus is ready', () => late.health().ready);
});

test('a gap at the end of a partition is over when the group waits for new records', async () => {
  const bus = await world.openBus();
  const [key = ''] = newKeys(1);
  const first = await recordWork(bus);
  await bus.publish(cancels(key, 1));
  const { partition } = await waitFor('the first is handled', () => first.handled[0]);
  await first.stop();
  await bus.publish(cancels(key, 2, 1));
  const topic = world.physical(workTopic);
  await world.admin.fetchTopicOffsets(topic);
  await world.admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: '3' }] });

  const late = await world.openBus();
  const second = await recordWork(late);

  expect(late.health().problems).toContainEqual(
    `${workTopic}/${partition}: position 1 is before the start of the log (3)`,
  );
  await waitFor('the bus is ready', () => late.health().ready);
  await bus.publish(cancels(key, 1, 3));
  await waitFor('a new record is handled', () => second.handled.length === 1);
});

test('when the positions of a group are gone, the bus is not ready until it has one again, or waits for a record', async () => {
  const bus = await world.openBus();
  await bus.publish(newKeys(8).flatMap((key) => cancels(key, 2)));
  const topic = world.physical(workTopic);
  const written = (await world.admin.fetchTopicOffsets(topic)).filter(({ high }) => high !== '0');
  const [first, last = first] = written;
  const expired = written.map(({ partition, high }) => ({
    partition,
    // Nothing is left of the first partition, one record of the last.
    offset: partition === last?.partition ? String(Number(high) - 1) : high,
  }));
  await world.admin.deleteTopicRecords({ topic, partitions: expired });

  const late = await world.openBus();
  const { handled } = await recordWork(late);

  const missed = expired.map(({ partition, offset }) => {
    return `${workTopic}/${partition}: there is no position before the start of the log (${offset})`;
  });
  expect(late.health()).toMatchObject({ ready: false, problems: expect.arrayContaining(missed) });
  await waitFor('what is left is handled', () => handled.length === 1);
  await waitFor('the bus is ready', () => late.health().ready);
});

test('expired records of a topic of short retention are no gap: its messages are re-sent', async () => {
  const bus = await world.openBus();
  const topic = world.physical('project.events.v1');
  await world.put('project.events.v1', { key: 'k', value: Buffer.from('{}'), headers: {} });
  const offsets = await world.admin.fetchTopicOffsets(topic);
  const partition = offsets.find(({ high }) => high === '1')?.partition ?? 0;
  await world.commit('workers', { topic, partition, offset: '0' });
  await world.admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: '1' }] });

  await recordWork(bus, { topics: ['project.events.v1'] });

  await waitFor('the bus is ready', () => bus.health().ready);
});

test('topics are created once, with the configured partitions and retention', async () => {
  const { kafkaBrokers: brokers, topicPrefix } = world.namespace;
  const options = {
    brokers,
    topicPrefix,
    partitions: 2,
    replicationFactor: 1,
    logger: testLogger,
  };

  expect(await ensureTopics(options)).toEqual([]);

  const wanted = topicConfigs(options);
  const { topics } = await world.admin.fetchTopicMetadata({
    topics: wanted.map(({ topic }) => topic),
  });
  for (const { topic, numPartitions } of wanted) {
    const found = topics.find(({ name }) => name === topic);
    expect([topic, found?.partitions.length]).toEqual([topic, numPartitions]);
  }
});

test('what differs of an existing topic is reported, and not changed', async () => {
  const { kafkaBrokers: brokers, topicPrefix } = world.namespace;
  const cluster = { brokers, topicPrefix, logger: testLogger };
  const wanted = topicConfigs({ topicPrefix, partitions: 2, replicationFactor: 1 });
  expect(await compareTopics(cluster, wanted, cluster.logger)).toEqual([]);

  const other = topicConfigs({ topicPrefix, partitions: 3, replicationFactor: 3 });
  const differences = await compareTopics(cluster, other, cluster.logger);

  const of = world.physical(workTopic);
  expect(differences.filter((one) => one.of === of)).toEqual([
    { of, setting: 'partitions', found: '2', wanted: '3' },
    { of, setting: 'replication factor', found: '1', wanted: '3' },
    { of, setting: 'min.insync.replicas', found: '1', wanted: '2' },
  ]);
  expect(await compareTopics(cluster, wanted, cluster.logger)).toEqual([]);
});

/** A bus on topics that nothing has created. */
function openElsewhere(timing: Partial<KafkaTiming> = {}) {
  const options = {
    brokers: world.namespace.kafkaBrokers,
    topicPrefix: `${world.namespace.topicPrefix}elsewhere.`,
    logger: testLogger,
    timing,
  };
  const identity = { service: 'test', identifiers: systemIdentifiers };
  return { options, bus: createKafkaBus({ ...options, ...identity }) };
}

test('topics that are still missing after the wait are named', async () => {
  const bus = await openElsewhere({ topicsTimeoutMs: 0 }).bus;

  await expect(recordWork(bus)).rejects.toThrow(/refresh\.commands\.v1/);
  await bus.close();
});

test('a consumer and a reader wait for topics that are created after them', async () => {
  const lines = jest.spyOn(testLogger, 'warn');
  const { options, bus: opening } = openElsewhere();
  const bus = await opening;
  const work = recordWork(bus);
  const reader = bus.broadcast({ name: 'a', topics: ['replies.v1'], onMessage: () => {} });
  const starting = Promise.all([work, reader]);
  const waiting = () => lines.mock.calls.filter((line) => line.includes('waiting for topics'));
  const both = waitFor('both wait for topics', () => waiting().length === 2);
  await Promise.race([both, starting]);

  await ensureTopics({ ...options, partitions: 2, replicationFactor: 1 });

  const [{ handled }] = await starting;
  const [key = ''] = newKeys(1);
  await bus.publish([cancel(key)]);
  await waitFor('it is handled', () => idsOf(handled).includes(`${key}#0`));
  await bus.close();
  lines.mockRestore();
});

test('a bus that is closed does not wait for topics', async () => {
  const bus = await openElsewhere().bus;
  const work = recordWork(bus);

  await bus.close();

  await expect(work).rejects.toThrow(TopicsMissing);
});

test('a process with a producer, a worker and a reader holds five connections to a broker', async () => {
  const opened = jest.spyOn(net, 'connect');
  const bus = await world.openBus();
  const { handled } = await recordWork(bus);
  await bus.broadcast({ name: 'a', topics: ['replies.v1'], onMessage: () => {} });
  const [key = ''] = newKeys(1);

  await bus.publish([cancel(key)]);

  await waitFor('it is handled', () => handled.length === 1);
  const sockets = opened.mock.results.map(({ value }) => value as net.Socket);
  opened.mockRestore();
  // Producer 1; each consumer one for fetches and one for the rest. Those of the start are closed.
  const open = () => sockets.filter(({ destroyed }) => !destroyed);
  await waitFor('the connections of the start are closed', () => open().length <= 5);
  expect(open()).toHaveLength(5);
});
