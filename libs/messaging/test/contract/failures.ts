import { waitFor } from '@inventory/testkit/wait-for';
import type { BusWorld } from '../support/bus-world.ts';
import { idsOf, recordWork } from '../support/record-work.ts';
import { cancel, firstIndexes, newKeys, upTo, workTopic } from '../support/test-messages.ts';

const fullBatch = 200;

export function describeFailures(world: () => BusWorld): void {
  test('a failed message is redelivered before later ones; other partitions continue', async () => {
    const bus = await world().openBus();
    const keys = newKeys(40);
    const blocked = keys[0] ?? '';
    let broken = true;
    let blockedPartition: number | undefined;
    const { handled } = await recordWork(bus, {
      onBatch: async (messages) => {
        const failing = messages.find(({ id }) => id === `${blocked}#1`);
        if (!failing || !broken) return;
        blockedPartition = failing.partition;
        throw new Error('the store is unavailable');
      },
    });

    for (let index = 0; index < 5; index += 1) {
      await bus.publish(keys.map((key) => cancel(key, index)));
    }

    // The keys on the blocked partition are known only from where the failure came from.
    await waitFor('the other partitions are done', () => {
      if (blockedPartition === undefined) return false;
      const elsewhere = handled.filter(({ partition }) => partition !== blockedPartition);
      const keysElsewhere = new Set(elsewhere.map(({ key }) => key));
      return keysElsewhere.size > 0 && elsewhere.length === keysElsewhere.size * 5;
    });
    expect(firstIndexes(handled, blocked)).not.toContain(1);
    broken = false;

    await waitFor('the rest is handled', () => new Set(idsOf(handled)).size === keys.length * 5);
    for (const key of keys) expect(firstIndexes(handled, key)).toEqual(upTo(5));
    expect(await world().letters(workTopic)).toEqual([]);
  });

  test('a postponed message is redelivered before later ones of its key; other keys continue', async () => {
    const bus = await world().openBus();
    const keys = newKeys(20);
    const late = keys[0] ?? '';
    let isPostponing = true;
    for (let index = 0; index < 3; index += 1) {
      await bus.publish(keys.map((key) => cancel(key, index)));
    }

    const { handled } = await recordWork(bus, {
      batchMax: fullBatch,
      onBatch: async (messages, _reject, postpone) => {
        for (const message of messages) if (isPostponing && message.key === late) postpone(message);
      },
    });
    await waitFor('the other keys are handled', () => new Set(idsOf(handled)).size === 57);
    expect(handled.filter(({ key }) => key === late)).toEqual([]);
    isPostponing = false;

    await waitFor('the rest is handled', () => new Set(idsOf(handled)).size === 60);
    for (const key of keys) expect(firstIndexes(handled, key)).toEqual(upTo(3));
    expect(await world().letters(workTopic)).toEqual([]);
  });

  test('a programming error is retried five times, then its record alone becomes a dead letter', async () => {
    const bus = await world().openBus();
    const keys = newKeys(20);
    const faults = [
      new SyntaxError('Unexpected token'),
      new TypeError('x is not a function'),
      new RangeError('Invalid array length'),
      new ReferenceError('x is not defined'),
    ];
    const poison = new Map(faults.map((fault, index) => [`${keys[index * 5]}#1`, fault]));
    const triesAlone = new Map<string, number>();
    const triesInAll = new Map<string, number>();
    for (let index = 0; index < 3; index += 1) {
      await bus.publish(keys.map((key) => cancel(key, index)));
    }

    const { handled } = await recordWork(bus, {
      batchMax: fullBatch,
      onBatch: async (messages) => {
        const failing = messages.find(({ id }) => poison.has(id));
        if (!failing) return;
        const count = (tries: Map<string, number>) =>
          tries.set(failing.id, (tries.get(failing.id) ?? 0) + 1);
        count(triesInAll);
        if (messages.length === 1) count(triesAlone);
        throw poison.get(failing.id);
      },
    });

    await waitFor('the other records are handled', () => new Set(idsOf(handled)).size === 56);
    const letters = await waitFor('the four are in the dead letters', async () => {
      const found = await world().letters(workTopic);
      return found.length === 4 && found;
    });
    expect(letters.map(({ headers }) => headers['message-id']).toSorted()).toEqual(
      [...poison.keys()].toSorted(),
    );
    for (const { headers } of letters) {
      const fault = poison.get(headers['message-id'] ?? '');
      expect(headers['dead-letter-reason']).toBe('handler_failed');
      expect(headers['dead-letter-detail']).toBe(`${fault?.name}: ${fault?.message}`);
    }
    for (const id of poison.keys()) {
      expect(triesAlone.get(id)).toBeGreaterThanOrEqual(4);
      expect(triesInAll.get(id)).toBeLessThanOrEqual(6);
      const key = id.slice(0, -2);
      expect(firstIndexes(handled, key)).toEqual([0, 2]);
    }
    await waitFor('the bus is ready', () => bus.health().ready);
  });
}
