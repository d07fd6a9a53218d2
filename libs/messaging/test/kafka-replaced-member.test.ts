import { patientTiming } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import type { MemberDescription } from 'kafkajs';
import { startBrokerProxy } from './support/broker-proxy.ts';
import { type KafkaWorld, openKafkaWorld } from './support/kafka-world.ts';
import { idsOf, recordWork } from './support/record-work.ts';
import { cancel, newKeys } from './support/test-messages.ts';

/** Longer than a test may take: a group that waits for it is not waited for. */
const sessionTimeoutMs = 600_000;
const timing = {
  ...patientTiming,
  sessionTimeoutMs,
  // A member leaves when its last fetch has ended.
  fetchWaitMs: 50,
  handlersDeadlineMs: 100,
  commitDeadlineMs: 100,
};
/** The number of the request in Kafka's protocol. */
const leaveGroup = 13;
const instance = 'pod-1:8081';

let world: KafkaWorld;

beforeEach(async () => {
  world = await openKafkaWorld();
});
afterEach(() => world.close());

async function members(nameOf: (member: MemberDescription) => string): Promise<string[]> {
  const { groups } = await world.admin.describeGroups([world.physical('workers')]);
  return groups[0]?.members.map(nameOf) ?? [];
}

test('a process that replaces a killed one gets its partitions without waiting for its session', async () => {
  const [key = ''] = newKeys(1);
  const proxy = await startBrokerProxy(world.namespace.kafkaBrokers[0] ?? '', () => undefined);
  const killed = await world.openBus({ brokers: [proxy.address], timing, instance });
  const first = await recordWork(killed);
  await killed.publish([cancel(key, 0)]);
  await waitFor('the first process handles', () => first.handled.length === 1);

  // Without a connection it neither leaves nor sends a heartbeat, as after kill -9.
  proxy.close();
  const sent: number[] = [];
  const counting = await startBrokerProxy(
    world.namespace.kafkaBrokers[0] ?? '',
    ({ key: sentKey }) => {
      sent.push(sentKey);
      return undefined;
    },
  );
  const successor = await world.openBus({ brokers: [counting.address], timing, instance });
  const { handled } = await recordWork(successor);
  const next = cancel(key, 1);
  await successor.publish([next]);

  await waitFor('its successor handles', () => idsOf(handled).includes(next.id));
  // Without it the group would have waited for a minute, its longest rebalance.
  expect(sent).toContain(leaveGroup);
  await Promise.all([killed.close(), successor.close()]);
  counting.close();
});

test('a member whose broker was away returns to its own membership, and waits for no session', async () => {
  const [key = ''] = newKeys(1);
  const proxy = await startBrokerProxy(world.namespace.kafkaBrokers[0] ?? '', () => undefined);
  // kafkajs restarts a consumer whose heartbeat is due when its only broker goes.
  const restarting = { ...patientTiming, sessionTimeoutMs, heartbeatIntervalMs: 10 };
  const bus = await world.openBus({ brokers: [proxy.address], timing: restarting });
  const { handled } = await recordWork(bus);
  await bus.publish([cancel(key, 0)]);
  await waitFor('it handles', () => handled.length === 1);
  const before = await members(({ memberId }) => memberId);

  proxy.cut();
  await waitFor('it connects to its broker again', () => proxy.turnedAway() > 4);
  proxy.restore();
  const next = cancel(key, 1);
  await bus.publish([next]);

  await waitFor('it handles again', () => idsOf(handled).includes(next.id));
  expect(await members(({ memberId }) => memberId)).toEqual(before);
  await bus.close();
  proxy.close();
});

test('another instance of the service keeps its partitions', async () => {
  const [key = ''] = newKeys(1);
  const first = await world.openBus({ timing, instance });
  const { handled } = await recordWork(first);
  await first.publish([cancel(key, 0)]);
  await waitFor('the first instance handles', () => handled.length === 1);
  const clients = () => members(({ clientId }) => clientId);
  const [before] = await clients();

  const second = await world.openBus({ timing, instance: 'pod-2:8081' });
  await recordWork(second);

  await waitFor('both are members', async () => (await clients()).length === 2);
  expect(await clients()).toContain(before);
});
