import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { BusOverloaded } from '../bus.ts';
import type { WireRecord } from '../wire-record.ts';
import {
  createRecordSender,
  recordsPerSendMax,
  recordsWaitingMax,
  splitByBytes,
} from './record-sender.ts';
import type { WireProducer } from './wire-client.ts';

/** A producer whose sends the test completes. */
const sendingBy = (send: WireProducer['send']): WireProducer => ({ send, close: async () => {} });

const record = (index: number): WireRecord => ({
  key: 'k',
  value: Buffer.from(String(index)),
  headers: {},
});
const placesOf = (records: readonly WireRecord[]) => records.map(({ value }) => Number(value));

test('one request per topic is in flight, records keep their order, none is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 700 })), {
        maxLength: 12,
      }),
      async (scheduler, calls) => {
        const underWay = new Set<string>();
        const arrived = new Map<string, number[]>();
        const producer = sendingBy(async (topic, records) => {
          expect(underWay).not.toContain(topic);
          expect(records.length).toBeLessThanOrEqual(recordsPerSendMax);
          underWay.add(topic);
          await scheduler.schedule(Promise.resolve());
          underWay.delete(topic);
          arrived.set(topic, [...(arrived.get(topic) ?? []), ...placesOf(records)]);
        });
        const sender = createRecordSender(producer);
        const wanted = new Map<string, number[]>();

        const sending = calls.map(([topic, count]) => {
          const indexes = wanted.get(topic) ?? [];
          const next = Array.from({ length: count }, (_, index) => indexes.length + index);
          wanted.set(topic, [...indexes, ...next]);
          return sender.send([{ topic, records: next.map(record) }]);
        });
        await scheduler.waitFor(Promise.all(sending));

        expect(arrived).toEqual(wanted);
      },
    ),
    { numRuns: propertyRuns(60) },
  );
});

test('a full queue refuses a call as a whole, over all its topics, and accepts the next again', async () => {
  const gate = Promise.withResolvers<void>();
  const arrived: number[] = [];
  const producer = sendingBy(async (_topic, records) => {
    await gate.promise;
    arrived.push(...placesOf(records));
  });
  const sender = createRecordSender(producer);
  const many = Array.from({ length: recordsWaitingMax }, (_, index) => record(index));
  const filling = sender.send([{ topic: 'full', records: many }]);

  const refused = sender.send([
    { topic: 'empty', records: [record(-1)] },
    { topic: 'full', records: [record(-2)] },
  ]);

  await expect(refused).rejects.toThrow(BusOverloaded);
  gate.resolve();
  await filling;
  await sender.send([{ topic: 'full', records: [record(-3)] }]);
  expect(arrived.filter((index) => index < 0)).toEqual([-3]);
  expect(arrived).toHaveLength(recordsWaitingMax + 1);
});

test('a failed request fails the calls that were in it and no later one', async () => {
  let failing = true;
  const producer = sendingBy(async () => {
    if (failing) throw new Error('not enough replicas');
  });
  const sender = createRecordSender(producer);

  await expect(sender.send([{ topic: 't', records: [record(0)] }])).rejects.toThrow('replicas');
  failing = false;

  await sender.send([{ topic: 't', records: [record(1)] }]);
});

test('closing waits for running sends', async () => {
  const gate = Promise.withResolvers<void>();
  let arrived = false;
  const producer = sendingBy(async () => {
    await gate.promise;
    arrived = true;
  });
  const sender = createRecordSender(producer);
  const sending = sender.send([{ topic: 't', records: [record(0)] }]);
  const arrivedWhenClosed = sender.close().then(() => arrived);

  gate.resolve();

  await sending;
  expect(await arrivedWhenClosed).toBe(true);
});

test('a batch is split into requests of at most 256 KiB, in order, a larger record alone', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 40 });
  const space = Buffer.alloc(400_000);
  fc.assert(
    fc.property(sizes, (bytes) => {
      const records = bytes.map((size) => ({ ...record(0), value: space.subarray(0, size) }));

      const batches = splitByBytes(records);

      expect(batches.flat().every((one, index) => one === records[index])).toBe(true);
      expect(batches.flat()).toHaveLength(records.length);
      for (const batch of batches) {
        const total = batch.reduce((sum, { value }) => sum + value.length, 0);
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length === 1 || total <= 256 * 1024).toBe(true);
      }
    }),
    { numRuns: propertyRuns(200) },
  );
});
