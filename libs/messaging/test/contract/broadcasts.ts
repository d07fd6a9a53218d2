import { testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import type { MessageBus } from '../../src/bus.ts';
import { createPendingReplies } from '../../src/pending-replies.ts';
import type { BusWorld } from '../support/bus-world.ts';
import { authorityChange, cancelReply } from '../support/test-messages.ts';

export function describeBroadcasts(world: () => BusWorld): void {
  const topics = ['authority.changes.v1'] as const;

  async function listen(bus: MessageBus, name = 'authority') {
    const received: string[] = [];
    const subscription = await bus.broadcast({
      name,
      topics,
      onMessage: (message) => void received.push(message.id),
    });
    return { received, stop: () => subscription.stop() };
  }

  test('every replica receives everything from the start of its reader on', async () => {
    const sender = await world().openBus();
    await sender.publish([authorityChange('before')]);
    const first = await listen(await world().openBus());
    await sender.publish([authorityChange('between')]);
    const second = await listen(await world().openBus());

    for (const id of ['a', 'b', 'c']) await sender.publish([authorityChange(id)]);

    await waitFor('both have the last', () =>
      [first, second].every(({ received }) => received.includes('c')),
    );
    expect(first.received).toEqual(['between', 'a', 'b', 'c']);
    expect(second.received).toEqual(['a', 'b', 'c']);
  });

  test('two readers of one process, even of one name, each receive everything', async () => {
    const bus = await world().openBus();
    const readers = [await listen(bus), await listen(bus)];

    for (let count = 0; count < 10; count += 1) await bus.publish([authorityChange(`${count}`)]);

    await waitFor('both have all', () => readers.every(({ received }) => received.length === 10));
  });

  test('a stopped reader receives nothing any more', async () => {
    const bus = await world().openBus();
    const [stopping, staying] = [await listen(bus), await listen(bus)];

    await stopping.stop();
    await bus.publish([authorityChange('late')]);

    await waitFor('the other receives it', () => staying.received.includes('late'));
    expect(stopping.received).toEqual([]);
  });

  test('an unreadable record and a reader that throws do not stop later messages', async () => {
    const bus = await world().openBus();
    const received: string[] = [];
    await bus.broadcast({
      name: 'authority',
      topics,
      onMessage: ({ id }) => {
        received.push(id);
        throw new TypeError('a fault of ours');
      },
    });

    await bus.publish([authorityChange('a')]);
    await world().put('authority.changes.v1', { key: 'k', value: Buffer.from('?'), headers: {} });
    await bus.publish([authorityChange('b')]);

    await waitFor('the last is received', () => received.includes('b'));
    expect(received).toEqual(['a', 'b']);
    await waitFor('the bus is ready', () => bus.health().ready);
  });

  test('a record that a reader does not want is not decoded', async () => {
    const bus = await world().openBus();
    const received: string[] = [];
    const seen: string[] = [];
    await bus.broadcast({
      name: 'authority',
      topics,
      wants({ topic, key }) {
        seen.push(`${topic} ${key}`);
        return key !== 'unwanted';
      },
      onMessage: ({ id }) => void received.push(id),
    });
    await waitFor('the bus is ready', () => bus.health().ready);
    const logged = jest.spyOn(testLogger, 'error');

    const unreadable = { key: 'unwanted', value: Buffer.from('?'), headers: {} };
    await world().put('authority.changes.v1', unreadable);
    await bus.publish([authorityChange('wanted')]);

    await waitFor('the wanted one is received', () => received.includes('wanted'));
    expect(seen[0]).toBe('authority.changes.v1 unwanted');
    expect(logged.mock.calls.map(([, text]) => text)).not.toContain('broadcast record ignored');
    logged.mockRestore();
  });

  test('a reply resolves the request of one replica, and of no other', async () => {
    const owner = await world().openBus();
    const [mine, another] = await Promise.all(
      ['gateway', 'gateway'].map(async (name) => {
        const bus = await world().openBus();
        const replies = createPendingReplies();
        const { onMessage, isExpected } = replies;
        const wants = ({ key }: { readonly key: string }) => isExpected(key);
        await bus.broadcast({ name, topics: ['replies.v1'], wants, onMessage });
        return replies;
      }),
    );
    if (!mine || !another) throw new Error('no boxes');
    const waiting = mine.expect('wait-1', 600_000, (reply) => reply);

    await owner.publish([cancelReply('wait-of-none'), cancelReply('wait-1')]);

    expect((await waiting).body).toMatchObject({ waitingId: 'wait-1', result: 'cancelling' });
    expect([mine.waiting, another.waiting]).toEqual([0, 0]);
  });
}
