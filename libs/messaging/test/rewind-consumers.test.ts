import { consumerGroup, type ServiceName, topicsOf } from '@inventory/contracts/topics';
import { testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { awaitConsumed } from '../src/kafka/await-consumed.ts';
import { readTopic } from '../src/kafka/read-topic.ts';
import { rewindConsumers } from '../src/kafka/rewind-consumers.ts';
import { type KafkaWorld, openKafkaWorld } from './support/kafka-world.ts';
import { idsOf, recordWork } from './support/record-work.ts';
import { authorityChange, cancels, newKeys } from './support/test-messages.ts';

let world: KafkaWorld;

beforeEach(async () => {
  world = await openKafkaWorld();
});
afterEach(() => world.close());

function rewind(toMs: number, service: ServiceName = 'refresh-collector') {
  const { kafkaBrokers: brokers, topicPrefix } = world.namespace;
  return rewindConsumers({ brokers, topicPrefix, service, toMs, logger: testLogger });
}

test('a group that is rewound to a time receives what was written since again, and nothing older', async () => {
  const bus = await world.openBus();
  const [key = ''] = newKeys(1);
  const first = await recordWork(bus, { group: 'refresh-collector' });
  await bus.publish(cancels(key, 2));
  await waitFor('the first two are handled', () => first.handled.length === 2);
  const toMs = Date.now() + 5;
  await waitFor('the time is past', () => Date.now() > toMs);
  await bus.publish(cancels(key, 3, 2));
  await waitFor('all five are handled', () => first.handled.length === 5);
  await first.stop();

  const rewound = await rewind(toMs);
  const again = await recordWork(bus, { group: 'refresh-collector' });

  expect(rewound).toHaveLength(1);
  expect(rewound[0]).toMatchObject({ topic: 'refresh.commands.v1', offset: '2' });
  await waitFor('three are handled again', () => again.handled.length === 3);
  expect(idsOf(again.handled)).toEqual([`${key}#2`, `${key}#3`, `${key}#4`]);
});

test('a topic that a service reads in a group of its own is rewound with the others', async () => {
  const name = 'billing.outcomes.v1';
  const topic = world.physical(name);
  await world.put(name, { key: 'one', value: Buffer.from('of them'), headers: {} });
  const offsets = await world.admin.fetchTopicOffsets(topic);
  const partition = offsets.find(({ high }) => high === '1')?.partition ?? 0;
  const group = consumerGroup('event-stream', name);
  await world.commit(group, { topic, partition, offset: '1' });

  const rewound = await rewind(0, 'event-stream');

  const groupId = world.physical(group);
  const [committed] = await world.admin.fetchOffsets({ groupId, topics: [topic] });
  expect(rewound).toEqual([{ topic: name, partition, offset: '0' }]);
  expect(committed?.partitions).toContainEqual(expect.objectContaining({ partition, offset: '0' }));
});

test('a group is never moved forward: what it has not read stays unread', async () => {
  const bus = await world.openBus();
  const [key = ''] = newKeys(1);
  const first = await recordWork(bus, { group: 'refresh-collector' });
  await bus.publish(cancels(key, 1));
  await waitFor('the first is handled', () => first.handled.length === 1);
  await first.stop();
  await bus.publish(cancels(key, 1, 1));

  expect(await rewind(Date.now() + 60_000)).toEqual([]);
  const again = await recordWork(bus, { group: 'refresh-collector' });

  await waitFor('what was unread is handled', () => again.handled.length === 1);
  expect(idsOf(again.handled)).toEqual([`${key}#1`]);
});

test('a group with running members is not rewound, and the error names their number', async () => {
  const bus = await world.openBus();
  const [key = ''] = newKeys(1);
  const running = await recordWork(bus, { group: 'refresh-collector' });
  await bus.publish(cancels(key, 1));
  await waitFor('it is handled', () => running.handled.length === 1);

  await expect(rewind(0)).rejects.toThrow('1 of refresh-collector are still running');
});

test('a topic is read completely, from what it keeps to its end, by a group of its own', async () => {
  const name = 'authority.changes.v1';
  const bus = await world.openBus();
  const { kafkaBrokers: brokers, topicPrefix } = world.namespace;
  const read = () =>
    readTopic({ brokers, topicPrefix, service: 'gateway', topic: name, logger: testLogger });

  const empty = await read();
  await bus.publish(['a', 'b', 'c'].map((id) => authorityChange(id)));
  await world.put(name, { key: 'k', value: Buffer.from('?'), headers: {} });
  const [all, again] = [await read(), await read()];

  expect(empty).toEqual([]);
  expect(all.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(again).toEqual(all);
});

test('every topic whose work replicas share is rewound', () => {
  expect(topicsOf('billing-ledger', 'consumers')).toEqual(['billing.commands.v1']);
  expect(topicsOf('event-stream', 'consumers')).toEqual([
    'billing.outcomes.v1',
    'refresh.outcomes.v1',
  ]);
});

test('a wait for the consumers of a service ends when its group has handled what was there, not before its first fetch', async () => {
  const bus = await world.openBus();
  const { kafkaBrokers: brokers, topicPrefix } = world.namespace;
  const wait = (signal?: AbortSignal) => {
    const service = 'refresh-collector' as const;
    const ending = signal === undefined ? {} : { signal };
    return awaitConsumed({ brokers, topicPrefix, service, logger: testLogger, ...ending });
  };
  await wait();
  const [key = ''] = newKeys(1);
  await bus.publish(cancels(key, 3));
  const stopped = new AbortController();
  const early = wait(stopped.signal);
  stopped.abort(new Error('nothing consumes'));
  await expect(early).rejects.toThrow('nothing consumes');

  const { handled } = await recordWork(bus, { group: 'refresh-collector' });
  await wait();

  expect(idsOf(handled)).toEqual([`${key}#0`, `${key}#1`, `${key}#2`]);
});
