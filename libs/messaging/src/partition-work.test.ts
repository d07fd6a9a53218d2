import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import type { ReceivedMessage } from './bus.ts';
import { createPartitionWork, type PositionedRecord } from './partition-work.ts';
import { encode, type WireRecord } from './wire-record.ts';

const topic = 'refresh.commands.v1';

function recordAt(offset: number, readable: boolean): PositionedRecord {
  const { record } = encode({
    type: 'refresh.cancel.v1',
    id: String(offset),
    body: {
      refreshId: newRefreshId(),
      accountId: newAccountId(),
      projectId: newProjectId(),
      requestedAtMs: Date.UTC(2026, 0, 1),
    },
  });
  const value = readable ? record.value : Buffer.from('{');
  const position = { topic, partition: 0, offset: `${offset}` } as const;
  return { record: { ...record, value }, position, writtenAtMs: offset };
}

interface Played {
  readonly handled: string[];
  readonly letters: string[];
  readonly calls: number;
  readonly result: 'done' | 'flooded';
}

/** Runs a partition to its end, as an adapter does: unfinished records are redelivered. */
async function play(
  records: readonly PositionedRecord[],
  batchMax: number,
  onBatch: (messages: readonly ReceivedMessage[]) => void,
  sendDeadLetter: (record: WireRecord) => void = () => {},
): Promise<Played> {
  const handled: string[] = [];
  const letters: string[] = [];
  let calls = 0;
  const work = createPartitionWork({
    group: 'g',
    batchMax,
    logger: testLogger,
    onBatch: async (messages) => {
      calls += 1;
      onBatch(messages);
      handled.push(...messages.map(({ id }) => id));
    },
    sendDeadLetter: async ({ record }) => {
      sendDeadLetter(record);
      letters.push(record.headers['dead-letter-offset'] ?? '');
    },
  });
  let next = 0;
  while (next < records.length) {
    const result = await work.handle(records.slice(next, next + work.sliceMax));
    if (result.result === 'flooded') return { handled, letters, calls, result: 'flooded' };
    if (result.result === 'done') next = Number(result.lastOffset) + 1;
    else expect(Number(result.fromOffset)).toBe(next);
  }
  return { handled, letters, calls, result: 'done' };
}

test('each record is handled or in the dead letters, exactly one of them, in order', async () => {
  const kinds = fc.array(
    fc.constantFrom('good', 'good', 'good', 'good', 'unreadable', 'poison', 'heals'),
    { minLength: 1, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(kinds, fc.integer({ min: 1, max: 10 }), async (kindOf, batchMax) => {
      const count = (kind: string) => kindOf.filter((each) => each === kind).length;
      fc.pre(count('unreadable') <= 20 && count('poison') <= 20);
      const healing = new Map<string, number>();
      const records = kindOf.map((kind, offset) => recordAt(offset, kind !== 'unreadable'));

      const played = await play(records, batchMax, (messages) => {
        for (const { id } of messages) {
          if (kindOf[Number(id)] === 'poison') throw new TypeError('ours');
          const tries = healing.get(id) ?? 0;
          healing.set(id, tries + 1);
          if (kindOf[Number(id)] === 'heals' && tries < 7) throw new Error('store away');
        }
      });

      const offsets = (...kinds: string[]) =>
        kindOf.flatMap((kind, offset) => (kinds.includes(kind) ? [String(offset)] : []));
      expect(played.handled).toEqual(offsets('good', 'heals'));
      expect(played.letters.toSorted()).toEqual(offsets('unreadable', 'poison').toSorted());
    }),
    { numRuns: propertyRuns(200) },
  );
});

test('a record that cannot be handled, at the end of a large batch, does not repeat the batch', async () => {
  const records = Array.from({ length: 200 }, (_, offset) => recordAt(offset, true));

  const played = await play(records, 200, (messages) => {
    if (messages.some(({ id }) => id === '199')) throw new TypeError('ours');
  });

  // The whole batch once, then each record alone, the last one five times.
  expect(played.calls).toBe(1 + 199 + 5);
  expect(played.handled).toHaveLength(199);
});

test('a record is judged whatever was finished before it: slices need not follow each other', async () => {
  const letters: string[] = [];
  const work = createPartitionWork({
    group: 'g',
    batchMax: 10,
    logger: testLogger,
    onBatch: async (messages, reject) => {
      for (const message of messages) reject({ message, reason: 'not_wanted', detail: 'a test' });
    },
    sendDeadLetter: async ({ position }) => void letters.push(position.offset),
  });

  await work.handle([recordAt(3, false), recordAt(4, true)]);
  await work.handle([recordAt(1, false), recordAt(2, true)]);

  expect(letters).toEqual(['3', '4', '1', '2']);
});

test('a flood of unreadable records stops the partition', async () => {
  const records = Array.from({ length: 60 }, (_, offset) => recordAt(offset, false));

  const played = await play(records, 10, () => {});

  expect(played.result).toBe('flooded');
  expect(played.letters).toHaveLength(20);
});

test('a flood of records that the handler cannot handle stops the partition too', async () => {
  const records = Array.from({ length: 60 }, (_, offset) => recordAt(offset, true));

  const played = await play(records, 10, () => {
    throw new TypeError('a bad release');
  });

  expect(played.result).toBe('flooded');
  expect(played.letters).toHaveLength(20);
  expect(played.handled).toEqual([]);
});

test('a record is not skipped while its dead letter cannot be sent', async () => {
  const records = [recordAt(0, false), recordAt(1, true)];
  let tries = 0;

  const played = await play(
    records,
    10,
    () => {},
    () => {
      tries += 1;
      if (tries < 3) throw new Error('the broker is unavailable');
    },
  );

  expect(tries).toBe(3);
  expect(played.letters).toEqual(['0']);
  expect(played.handled).toEqual(['1']);
});

test('a rejected record goes to the dead letters at once and stops nothing, however many there are', async () => {
  const records = Array.from({ length: 200 }, (_, offset) => recordAt(offset, true));
  const isRejected = (offset: string | undefined) => Number(offset) % 4 !== 0;
  const letters: string[] = [];
  const handled: string[] = [];
  let failures = 1;
  const work = createPartitionWork({
    group: 'g',
    batchMax: 50,
    logger: testLogger,
    onBatch: async (messages, reject) => {
      for (const message of messages) {
        if (isRejected(message.offset)) reject({ message, reason: 'not_wanted', detail: 'a test' });
        else handled.push(message.offset);
      }
    },
    sendDeadLetter: async ({ position, record }) => {
      if (position.offset === '61' && failures > 0) {
        failures -= 1;
        throw new Error('broker unavailable');
      }
      expect(record.headers).toMatchObject({ 'dead-letter-reason': 'not_wanted' });
      letters.push(position.offset);
    },
  });

  for (let next = 0; next < records.length; ) {
    const result = await work.handle(records.slice(next, next + work.sliceMax));
    expect(result.result).not.toBe('flooded');
    if (result.result === 'done') next = Number(result.lastOffset) + 1;
  }

  const offsets = records.map(({ position }) => position.offset);
  expect(letters).toEqual(offsets.filter(isRejected));
  expect([...new Set(handled)]).toEqual(offsets.filter((offset) => !isRejected(offset)));
});
