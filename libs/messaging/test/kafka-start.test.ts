import net from 'node:net';
import { waitFor } from '@inventory/testkit/wait-for';
import { describeStart } from './contract/kafka-start.ts';
import { openKafkaWorld } from './support/kafka-world.ts';
import { recordWork } from './support/record-work.ts';
import { cancel, newKeys } from './support/test-messages.ts';

describeStart();

test('a process with a producer, a worker and a reader holds five connections to a broker', async () => {
  const world = await openKafkaWorld();
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
  await world.close();
});
