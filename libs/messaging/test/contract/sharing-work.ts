import { waitFor } from '@inventory/testkit/wait-for';
import type { BusWorld } from '../support/bus-world.ts';
import { idsOf, recordWork } from '../support/record-work.ts';
import { cancel, cancels, firstIndexes, newKeys, upTo } from '../support/test-messages.ts';

export function describeSharingWork(world: () => BusWorld): void {
  test('every acknowledged message reaches the group, those of one key in order', async () => {
    const [sender, other, reader] = await Promise.all([1, 2, 3].map(() => world().openBus()));
    if (!sender || !other || !reader) throw new Error('no buses');
    const keys = newKeys(20);
    const { handled } = await recordWork(reader, { batchMax: 7 });

    await Promise.all(
      keys.map(async (key, index) => {
        const bus = index % 2 === 0 ? sender : other;
        for (let from = 0; from < 25; from += 5) await bus.publish(cancels(key, 5, from));
      }),
    );

    await waitFor('all messages are handled', () => new Set(idsOf(handled)).size === 500);
    for (const key of keys) expect(firstIndexes(handled, key)).toEqual(upTo(25));
  });

  test('each group receives every message, a new one from the beginning', async () => {
    const bus = await world().openBus();
    const keys = newKeys(10);
    await bus.publish(keys.map((key) => cancel(key)));
    const early = await recordWork(bus, { group: 'early' });
    await waitFor('the first group has all', () => early.handled.length === 10);

    const late = await recordWork(bus, { group: 'late' });

    await waitFor('the second group has all', () => late.handled.length === 10);
    expect(idsOf(late.handled).toSorted()).toEqual(idsOf(early.handled).toSorted());
  });

  test('members share the partitions; when one leaves, no message is lost', async () => {
    const [first, second] = [await world().openBus(), await world().openBus()];
    let reassigned = 0;
    const staying = await recordWork(first, {
      onReassigned: () => {
        reassigned += 1;
      },
    });
    const leaving = await recordWork(second);
    const keys = newKeys(20);
    let sent = 0;
    const send = async () => {
      for (const key of keys) await first.publish([cancel(key, sent)]);
      sent += 1;
    };
    await waitFor('both members receive messages', async () => {
      await send();
      return leaving.handled.length > 0 && reassigned > 1;
    });

    const sending = (async () => {
      for (let more = 0; more < 10; more += 1) await send();
    })();
    const reassignedBefore = reassigned;
    await leaving.stop();
    const takenByLeaving = leaving.handled.length;
    await sending;

    const both = () => [...leaving.handled, ...staying.handled];
    await waitFor(
      'every message is handled',
      () => new Set(idsOf(both())).size === sent * keys.length,
    );
    expect(leaving.handled).toHaveLength(takenByLeaving);
    expect(reassigned).toBeGreaterThan(reassignedBefore);
    for (const key of keys) expect(firstIndexes(both(), key)).toEqual(upTo(sent));
  });

  test('stopping waits for running messages and commits what they finished', async () => {
    const bus = await world().openBus();
    const [key = ''] = newKeys(1);
    await bus.publish(cancels(key, 10));
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const first = await recordWork(bus, {
      batchMax: 4,
      onBatch: () => {
        begun.resolve();
        return gate.promise;
      },
    });
    await begun.promise;

    const stopped = first.stop();
    gate.resolve();
    await stopped;
    const second = await recordWork(await world().openBus());

    await waitFor('the rest is handled', () => second.handled.length >= 6);
    expect(firstIndexes(first.handled, key)).toEqual([0, 1, 2, 3]);
    expect(idsOf(second.handled)).toEqual(cancels(key, 6, 4).map(({ id }) => id));
  });
}
