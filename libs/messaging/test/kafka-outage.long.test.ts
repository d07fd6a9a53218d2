import { waitFor } from '@inventory/testkit/wait-for';
import { BusOverloaded, type MessageBus } from '../src/bus.ts';
import { recordsWaitingMax } from '../src/kafka/record-sender.ts';
import { timingOf } from '../src/kafka/timing.ts';
import { type OwnBroker, startOwnBroker } from './support/own-broker.ts';
import { idsOf, recordWork } from './support/record-work.ts';
import {
  authorityChange,
  cancel,
  cancels,
  firstIndexes,
  newKeys,
  upTo,
} from './support/test-messages.ts';

let broker: OwnBroker;
const buses: MessageBus[] = [];

async function openBus(): Promise<MessageBus> {
  const bus = await broker.openBus();
  buses.push(bus);
  return bus;
}

beforeAll(async () => {
  broker = await startOwnBroker();
});
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.close()));
});
afterAll(() => broker.close());

test('after a broker was killed all clients recover and nothing is lost', async () => {
  const [sender, worker] = [await openBus(), await openBus()];
  const keys = newKeys(4);
  const { handled } = await recordWork(worker, { group: 'survivors' });
  const received: string[] = [];
  await worker.broadcast({
    name: 'authority',
    topics: ['authority.changes.v1'],
    onMessage: ({ id }) => void received.push(id),
  });
  const acknowledged: string[] = [];
  let stopSending = false;
  const sending = keys.map(async (key) => {
    for (let index = 0; !stopSending; index += 1) {
      // As an outbox does: unacknowledged messages are re-sent before later ones.
      for (let sent = false; !sent; ) {
        sent = await sender.publish([cancel(key, index)]).then(
          () => true,
          () => stopSending,
        );
      }
      acknowledged.push(`${key}#${index}`);
    }
  });
  await waitFor('messages flow', () => handled.length > 100);

  await broker.kill();
  const before = acknowledged.length;
  await sender.publish([authorityChange('lost')]).catch(() => {});
  await broker.start();
  await sender.publish([authorityChange('a')]);
  await sender.publish([authorityChange('b')]);

  await waitFor('messages flow again', () => acknowledged.length > before + 100);
  await waitFor('the reader receives both', () => received.includes('b'));
  stopSending = true;
  await Promise.all(sending);
  await waitFor('every acknowledged message is handled', () => {
    const seen = new Set(idsOf(handled));
    return acknowledged.every((id) => seen.has(id) || id.endsWith(`#${before}`));
  });
  for (const key of keys) {
    const indexes = firstIndexes(handled, key);
    expect(indexes).toEqual(upTo(indexes.length));
  }
  expect([...new Set(received)].filter((id) => id !== 'lost')).toEqual(['a', 'b']);
  await waitFor('both are ready', () => sender.health().ready && worker.health().ready);
});

test('a broker that hangs for longer than any session costs no client its life, and messages flow once it answers', async () => {
  const { sessionTimeoutMs } = timingOf();
  const bus = await openBus();
  const [key = ''] = newKeys(1);
  const { handled } = await recordWork(bus, { group: 'waiting' });
  const received: string[] = [];
  await bus.broadcast({
    name: 'authority',
    topics: ['authority.changes.v1'],
    onMessage: ({ id }) => void received.push(id),
  });
  broker.hang();
  const startMs = performance.now();
  let isAlive = true;

  await waitFor('five sessions have passed', () => {
    isAlive &&= bus.health().alive;
    return performance.now() - startMs > 5 * sessionTimeoutMs;
  });
  expect(isAlive).toBe(true);
  expect(bus.health().ready).toBe(false);
  broker.resume();

  await waitFor('all consumers work', () => bus.health().ready, { withinMs: 30_000 });
  await bus.publish([cancel(key), authorityChange('a')]);
  await waitFor('the command is handled', () => idsOf(handled).includes(`${key}#0`));
  await waitFor('the change is received', () => received.includes('a'));
});

test('while the broker is unavailable sending is bounded, health reports it, and closing has a deadline', async () => {
  const bus = await openBus();
  const [key = ''] = newKeys(1);
  const { handled } = await recordWork(bus, { group: 'orphans' });
  await bus.publish([cancel(key)]);
  await waitFor('it is handled', () => idsOf(handled).includes(`${key}#0`));
  await broker.kill();

  const waiting = bus.publish(cancels(key, recordsWaitingMax)).then(
    () => 'sent',
    () => 'failed',
  );
  await Promise.resolve();
  await expect(bus.publish(cancels(key, 501))).rejects.toThrow(BusOverloaded);
  await waitFor('the consumer counts as not working', () => !bus.health().ready);
  expect(bus.health()).toEqual({
    started: true,
    ready: false,
    alive: true,
    problems: [expect.stringMatching(/^Kafka: the consumer of [a-z.0-9]+ is not working$/)],
  });
  const begunAt = performance.now();
  await bus.close();

  // Each part of a service has 15 s to close; a send in retry must not take longer.
  expect(performance.now() - begunAt).toBeLessThan(14_000);
  expect(await waiting).toBe('failed');
});
