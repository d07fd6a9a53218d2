import { kafkaClients } from '@inventory/runtime/kafka-access';
import { waitFor } from '@inventory/testkit/wait-for';
import { type KafkaWorld, openKafkaWorld } from './support/kafka-world.ts';
import { recordWork } from './support/record-work.ts';
import { authorityChange, cancels, firstPlaces, newKeys, upTo } from './support/test-messages.ts';

let world: KafkaWorld;

beforeEach(async () => {
  world = await openKafkaWorld();
});
afterEach(() => world.close());

test('a group whose members change from one client to the other loses nothing and keeps the order of keys', async () => {
  const keys = newKeys(20);
  const buses = await Promise.all(kafkaClients.map((client) => world.openBus({ client })));
  const works = await Promise.all(buses.map((bus) => recordWork(bus)));
  await waitFor('both are members', () => buses.every((bus) => bus.health().ready));

  for (let place = 0; place < 20; place += 10) {
    const bus = buses[place / 10];
    for (const key of keys) await bus?.publish(cancels(key, 10, place));
  }
  const all = () => works.flatMap(({ handled }) => handled);
  await waitFor('both handle', () => works.every(({ handled }) => handled.length > 0));
  await waitFor('all is handled', () => new Set(all().map(({ id }) => id)).size === 400);
  await works[0]?.stop();
  for (const key of keys) await buses[1]?.publish(cancels(key, 10, 20));

  await waitFor('the other takes over', () => new Set(all().map(({ id }) => id)).size === 600);
  for (const key of keys) {
    const places = works.map(({ handled }) => firstPlaces(handled, key));
    for (const ofMember of places) expect(ofMember).toEqual(ofMember.toSorted((a, b) => a - b));
    expect([...new Set(places.flat())].toSorted((a, b) => a - b)).toEqual(upTo(30));
  }
});

test('a topic that was deleted fails its own messages and no others', async () => {
  const bus = await world.openBus({ client: 'platformatic' });
  const received: string[] = [];
  await bus.broadcast({
    name: 'authority',
    topics: ['authority.changes.v1'],
    onMessage: ({ id }) => void received.push(id),
  });
  const [key = ''] = newKeys(1);
  await bus.publish(cancels(key, 1));
  await world.admin.deleteTopics({ topics: [world.physical('refresh.commands.v1')] });

  await expect(bus.publish(cancels(key, 1, 1))).rejects.toThrow('refresh.commands.v1');

  await bus.publish([authorityChange('a')]);
  await waitFor('the other is received', () => received.includes('a'));
});
