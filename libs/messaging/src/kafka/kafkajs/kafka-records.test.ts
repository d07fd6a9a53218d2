import type { KafkaMessage } from 'kafkajs';
import { fromKafkaMessage } from './kafka-records.ts';

const nothing = { attributes: 0, timestamp: '0', offset: '0' };

test('every record is read without throwing, also one that no client of ours writes', () => {
  const message = {
    ...nothing,
    key: null,
    value: null,
    headers: {
      'message-type': Buffer.from('refresh.cancel.v1'),
      'message-id': [Buffer.from('first'), Buffer.from('second')],
      empty: undefined,
      // The protocol has headers without a value; the client's own types do not.
      none: null as never,
      list: [],
    },
  } satisfies KafkaMessage;

  expect(fromKafkaMessage(message)).toEqual({
    key: '',
    value: Buffer.alloc(0),
    headers: { 'message-type': 'refresh.cancel.v1', 'message-id': 'first' },
  });
});

test('a record without headers has none', () => {
  const record = fromKafkaMessage({
    ...nothing,
    size: 1,
    key: Buffer.from('k'),
    value: Buffer.from('v'),
  } as KafkaMessage);

  expect(record).toEqual({ key: 'k', value: Buffer.from('v'), headers: {} });
});
