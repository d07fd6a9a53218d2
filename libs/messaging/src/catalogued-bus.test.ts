import { cancels, newKeys } from '../test/support/test-messages.ts';
import type { MessageBus, OutgoingMessage } from './bus.ts';
import { cataloguedBus } from './catalogued-bus.ts';

const published: OutgoingMessage[] = [];
const subscribe = async () => ({ stop: async () => {} });
const bus: MessageBus = {
  publish: async (messages) => void published.push(...messages),
  consume: subscribe,
  broadcast: subscribe,
  health: () => ({ started: true, ready: true, alive: true, problems: [] }),
  close: async () => {},
};
const eventStream = cataloguedBus('event-stream', bus);
const gateway = cataloguedBus('gateway', bus);

const cancel = () => cancels(newKeys(1)[0] ?? '', 1);

test('a service publishes to the topics it is named for as a producer, and to no other', async () => {
  await expect(eventStream.publish(cancel())).rejects.toThrow(
    'does not name event-stream among the producers of refresh.commands.v1',
  );
  expect(published).toEqual([]);

  await gateway.publish(cancel());

  expect(published).toHaveLength(1);
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
