import { testLogger } from '@inventory/testkit/namespace';
import { cancels, newKeys } from '../test/support/test-messages.ts';
import { cataloguedBus } from './catalogued-bus.ts';
import { createMemoryBroker } from './memory/memory-bus.ts';

const broker = createMemoryBroker(testLogger, 1);
const eventStream = cataloguedBus('event-stream', broker.connect());
const gateway = cataloguedBus('gateway', broker.connect());

const cancel = () => cancels(newKeys(1)[0] ?? '', 1);

test('a service publishes to the topics it is named for as a producer, and to no other', async () => {
  await expect(eventStream.publish(cancel())).rejects.toThrow(
    'does not name event-stream among the producers of refresh.commands.v1',
  );
  expect(broker.log.records('refresh.commands.v1')).toEqual([]);

  await gateway.publish(cancel());

  expect(broker.log.records('refresh.commands.v1')).toHaveLength(1);
});

test('a service shares the work of the topics it is named for as a consumer, and reads those it is a reader of', async () => {
  const onBatch = async () => {};
  const onMessage = () => {};
  const consume = eventStream.consume({
    group: 'event-stream',
    topics: ['project.events.v1'],
    onBatch,
  });
  const broadcast = eventStream.broadcast({ name: 'test', topics: ['replies.v1'], onMessage });

  await expect(consume).rejects.toThrow('among the consumers of project.events.v1');
  await expect(broadcast).rejects.toThrow('among the readers of replies.v1');
  const own = await eventStream.broadcast({
    name: 'test',
    topics: ['authority.changes.v1'],
    onMessage,
  });
  await own.stop();
});
