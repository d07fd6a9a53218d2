import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { consumerDelay, consumerLag, consumerStopped } from '../messaging-metrics.ts';
import { type MeasuredConsumer, measureConsumer } from './measure-consumer.ts';

type Read = (observe: (value: number, labels?: Readonly<Record<string, unknown>>) => void) => void;
const topic = 'billing.commands.v1';
const clock = createTestClock();
let measured: MeasuredConsumer;
let reads: Map<string, Read>;

beforeEach(() => {
  reads = new Map();
  for (const [name, gauge] of Object.entries({ consumerLag, consumerDelay, consumerStopped })) {
    jest.spyOn(gauge, 'observe').mockImplementationOnce((read) => {
      reads.set(name, read as Read);
      return () => void reads.delete(name);
    });
  }
  measured = measureConsumer(only({ group: 'billing-ledger', topics: [topic] }), clock);
});
afterEach(() => jest.restoreAllMocks());

function exported(): Record<string, number> {
  const values: Record<string, number> = {};
  for (const [name, read] of reads) read((value) => Object.assign(values, { [name]: value }));
  return values;
}

test('the lag of a consumer is that of its partitions together, its delay that of the latest', () => {
  measured.progressed(topic, 0, { lag: 5, oldestAtMs: clock.now() });
  clock.advance(10_000);
  measured.progressed(topic, 1, { lag: 3, oldestAtMs: clock.now() });

  expect(exported()).toEqual({ consumerLag: 5 + 3, consumerDelay: 10, consumerStopped: 0 });
});

test('the delay of a blocked partition grows until it is handled', () => {
  measured.progressed(topic, 0, { lag: 5, oldestAtMs: clock.now() });
  clock.advance(60_000);
  const slice = { topic, partition: 0, records: 1, startMs: 0 } as const;
  measured.handled({ ...slice, result: 'retry' });

  expect(exported()).toMatchObject({ consumerDelay: 60 });
  measured.progressed(topic, 0, { lag: 2, oldestAtMs: null });
  expect(exported()).toMatchObject({ consumerLag: 2, consumerDelay: 0 });
});

test('a stopped partition is reported, one that belongs to another replica is not', () => {
  measured.progressed(topic, 0, { lag: 5, oldestAtMs: clock.now() });
  measured.handled({ topic, partition: 1, records: 1, startMs: 0, result: 'flooded' });
  measured.forget();

  expect(exported()).toEqual({ consumerLag: 0, consumerDelay: 0, consumerStopped: 1 });
  measured.end();
  expect(reads.size).toBe(0);
});
