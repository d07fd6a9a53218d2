import type { KafkaRecord, RecordsBatch } from '@platformatic/kafka';
import { readFetched } from './fetched-records.ts';

const control = 0b10_0000;
const record = (offsetDelta: number, fields: Partial<KafkaRecord> = {}): KafkaRecord => ({
  length: 0,
  attributes: 0,
  timestampDelta: 5n,
  offsetDelta,
  key: Buffer.from('k'),
  value: Buffer.from('v'),
  headers: [],
  ...fields,
});

function batch(firstOffset: bigint, records: KafkaRecord[], fields: Partial<RecordsBatch> = {}) {
  const lastOffsetDelta = Math.max(...records.map(({ offsetDelta }) => offsetDelta));
  const plain = { firstOffset, records, lastOffsetDelta, attributes: 0, firstTimestamp: 1_000n };
  return { ...plain, ...fields } as RecordsBatch;
}

/** What is read of partition 0 of one topic, from an offset on. */
function read(offset: bigint, records: RecordsBatch[], partitionIndex = 0) {
  const partitions = [{ partitionIndex, highWatermark: 30n, records }];
  const response = { responses: [{ topicId: 'id-of-t', partitions }] };
  return readFetched(response, [{ topic: 't', partition: 0, offset }], (topic) => `id-of-${topic}`);
}

test('a batch is read from the wanted offset on, and the next fetch continues behind it', () => {
  const [fetched] = read(11n, [
    batch(10n, [record(0), record(1), record(4)]),
    batch(15n, [record(0)]),
  ]);

  expect(fetched?.records.map(({ offset, writtenAtMs }) => [offset, writtenAtMs])).toEqual([
    ['11', 1_005],
    ['14', 1_005],
    ['15', 1_005],
  ]);
  expect(fetched).toMatchObject({ topic: 't', partition: 0, next: 16n, behind: 14 });
});

test('a batch that the broker timed has its time, whatever its sender wrote', () => {
  const timed = { attributes: 0b1000, maxTimestamp: 7_000n };

  const [fetched] = read(10n, [batch(10n, [record(0), record(1)], timed)]);

  expect(fetched?.records.map(({ writtenAtMs }) => writtenAtMs)).toEqual([7_000, 7_000]);
});

test('a batch without records of ours moves the position past it', () => {
  const [fetched] = read(10n, [batch(10n, [record(0)], { attributes: control })]);

  expect(fetched).toMatchObject({ records: [], next: 11n });
});

test('partitions that were not asked for, and those without records, are left out', () => {
  expect(read(10n, [batch(10n, [record(0)])], 1)).toEqual([]);
  expect(read(10n, [])).toEqual([]);
});

test('every record is read without throwing, also one that no client of ours writes', () => {
  const headers: KafkaRecord['headers'] = [
    [Buffer.from('message-type'), Buffer.from('refresh.cancel.v1')],
    [Buffer.from('message-id'), Buffer.from('first')],
    [Buffer.from('message-id'), Buffer.from('second')],
    [Buffer.from('none'), null],
    [null, Buffer.from('nameless')],
  ];

  const [fetched] = read(0n, [batch(0n, [record(0, { key: null, value: null, headers })])]);

  expect(fetched?.records[0]).toMatchObject({
    key: '',
    value: Buffer.alloc(0),
    headers: { 'message-type': 'refresh.cancel.v1', 'message-id': 'first' },
  });
});
