import { patientTiming } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { type CoordinatorProxy, startCoordinatorProxy } from './support/coordinator-proxy.ts';
import { type KafkaWorld, openKafkaWorld } from './support/kafka-world.ts';
import { idsOf, recordWork } from './support/record-work.ts';
import { cancel, newKeys } from './support/test-messages.ts';

/**
 * The shortest session that a broker allows: it waits for the session of a member that rejoins as a
 * new one. These tests are about sessions that expire although the member is running.
 */
const timing = { ...patientTiming, sessionTimeoutMs: 6_000 };

let world: KafkaWorld;
let proxy: CoordinatorProxy;

beforeEach(async () => {
  world = await openKafkaWorld();
  proxy = await startCoordinatorProxy(world.namespace.kafkaBrokers[0] ?? '');
});
afterEach(async () => {
  await world.close();
  proxy.close();
});

/** A member that has handled a message before its coordinator refuses requests. */
async function openMember() {
  const bus = await world.openBus({ brokers: [proxy.address], timing });
  const { handled } = await recordWork(bus);
  const [key = ''] = newKeys(1);
  await bus.publish([cancel(key, 0)]);
  await waitFor('the first message is handled', () => handled.length === 1);
  return { bus, handled, next: cancel(key, 1) };
}

test('a coordinator that is loading its groups when a member rejoins leaves nothing unhandled', async () => {
  const { bus, handled, next } = await openMember();

  proxy.refuse('heartbeat', 'notCoordinator');
  proxy.refuse('join', 'notCoordinator', 'loading');
  await waitFor('both were refused', proxy.refused);
  await bus.publish([next]);

  await waitFor('a later message is handled', () => idsOf(handled).includes(next.id));
  await waitFor('it is ready', () => bus.health().ready);
});

test('a member that the coordinator forgot rejoins although its first attempt failed', async () => {
  const { bus, handled, next } = await openMember();

  proxy.refuse('heartbeat', 'unknownMember');
  proxy.refuse('join', 'loading');
  await waitFor('both were refused', proxy.refused);
  const heartbeats = proxy.passed('heartbeat');

  await waitFor('it sends heartbeats', () => proxy.passed('heartbeat') > heartbeats);
  await bus.publish([next]);
  await waitFor('a later message is handled', () => idsOf(handled).includes(next.id));
});
