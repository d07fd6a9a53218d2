import { waitFor } from '@inventory/testkit/wait-for';
import type { BusAdapter, BusWorld } from '../support/bus-world.ts';
import { idsOf, recordWork } from '../support/record-work.ts';
import { authorityChange, cancel, newKeys, workTopic } from '../support/test-messages.ts';

export function describeSending(world: () => BusWorld, adapter: BusAdapter): void {
  test('id, correlation id, deadline, trace, key and position travel with a message', async () => {
    const bus = await world().openBus();
    const { handled } = await recordWork(bus);
    const [key = '', bare = ''] = newKeys(2);
    const trace = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'vendor=value',
    };

    await bus.publish([
      { ...cancel(key), waitingId: 'wait-1', deadlineMs: 1_767_225_600_000, trace },
      cancel(bare),
    ]);

    const [full, plain] = await waitFor('both are handled', () => {
      const find = (wanted: string) => handled.find((message) => message.key === wanted);
      return find(key) && find(bare) && [find(key), find(bare)];
    });
    expect(full).toEqual({
      type: 'refresh.cancel.v1',
      id: `${key}#0`,
      key,
      body: cancel(key).body,
      waitingId: 'wait-1',
      deadlineMs: 1_767_225_600_000,
      trace,
      writtenAtMs: expect.any(Number),
      topic: workTopic,
      partition: expect.any(Number),
      offset: expect.stringMatching(/^\d+$/),
    });
    expect(plain).toMatchObject({ waitingId: undefined, deadlineMs: undefined, trace: {} });
  });

  test('a message from an outbox, with null for absent fields, is sent', async () => {
    const bus = await world().openBus();
    const { handled } = await recordWork(bus);
    const [key = ''] = newKeys(1);
    const stored = { ...cancel(key), waitingId: null, deadlineMs: null, trace: {} };

    await bus.publish([stored as never]);

    const [message] = await waitFor('it is handled', () => handled.length === 1 && handled);
    expect(message).toMatchObject({ waitingId: undefined, deadlineMs: undefined });
  });

  test('when one body breaks its contract nothing of the call is sent', async () => {
    const bus = await world().openBus();
    const { handled } = await recordWork(bus);
    const [key = '', last = ''] = newKeys(2);
    const broken = { ...cancel(key, 1), body: { ...cancel(key).body, accountId: 'malformed' } };

    const publishing = bus.publish([cancel(key, 0), broken as never, authorityChange('x')]);

    await expect(publishing).rejects.toThrow(expect.objectContaining({ name: 'ZodError' }));
    await bus.publish([cancel(last)]);
    await waitFor('a later message is handled', () => handled.length > 0);
    expect(idsOf(handled)).toEqual([`${last}#0`]);
  });

  test('stacks on one broker share neither messages nor groups', async () => {
    const neighbour = await adapter.openWorld();
    try {
      const [here, there] = [await world().openBus(), await neighbour.openBus()];
      const [worker, foreign] = [await recordWork(here), await recordWork(there)];
      const keys = newKeys(10);

      await here.publish(keys.map((key) => cancel(key)));
      await there.publish([cancel(keys[0] ?? '', 99)]);

      await waitFor(
        'each has its own',
        () => foreign.handled.length > 0 && worker.handled.length === 10,
      );
      expect(idsOf(foreign.handled)).toEqual([`${keys[0]}#99`]);
    } finally {
      await neighbour.close();
    }
  });
}
