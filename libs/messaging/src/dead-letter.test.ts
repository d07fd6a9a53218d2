import { createDeadLetterGuard, toDeadLetter } from './dead-letter.ts';

const position = { topic: 'refresh.commands.v1', partition: 3, offset: '42' } as const;

test('a dead letter keeps key, bytes and headers and adds reason, origin and group', () => {
  const record = { key: 'k', value: Buffer.from([0, 255]), headers: { 'message-id': 'm' } };

  const letter = toDeadLetter(record, position, {
    reason: 'invalid_body',
    detail: 'x'.repeat(5_000),
    group: 'collector',
  });

  expect(letter.key).toBe('k');
  expect(letter.value).toBe(record.value);
  expect(letter.headers).toEqual({
    'message-id': 'm',
    'dead-letter-reason': 'invalid_body',
    'dead-letter-detail': 'x'.repeat(1_000),
    'dead-letter-group': 'collector',
    'dead-letter-topic': 'refresh.commands.v1',
    'dead-letter-partition': '3',
    'dead-letter-offset': '42',
  });
});

describe('the guard detects a flood', () => {
  const feed = (bad: (index: number) => boolean, count: number) => {
    const guard = createDeadLetterGuard();
    for (let index = 0; index < count; index += 1) if (guard(bad(index))) return index;
    return null;
  };

  test('by the 21st dead letter in a row', () => {
    expect(feed(() => true, 100)).toBe(20);
    expect(feed((index) => index >= 500, 1_000)).toBe(520);
  });

  test('by more than 5 % of the last 1,000 records', () => {
    expect(feed((index) => index % 10 === 0, 10_000)).toBe(500);
    expect(feed((index) => index % 19 === 0, 10_000)).not.toBeNull();
  });

  test('and not by a few bad records among many good ones', () => {
    expect(feed((index) => index % 25 === 0, 100_000)).toBeNull();
    expect(feed((index) => index % 1_000 < 20, 100_000)).toBeNull();
  });
});
