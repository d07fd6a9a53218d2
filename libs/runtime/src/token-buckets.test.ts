import fc from 'fast-check';
import { createTokenBuckets } from './token-buckets.ts';

function bucketsAt(perMinute: number, keysMax = 10) {
  const clock = { now: () => at.ms };
  const at = { ms: 1_000_000 };
  return { at, buckets: createTokenBuckets(perMinute, keysMax, clock) };
}

test('a bucket gives its tokens at once, then one each time that one was refilled', () => {
  const { at, buckets } = bucketsAt(3);
  for (let taken = 0; taken < 3; taken += 1) {
    expect(buckets.secondsUntilToken('a')).toBeNull();
    buckets.take('a');
  }

  expect(buckets.secondsUntilToken('a')).toBe(20);
  expect(buckets.secondsUntilToken('b')).toBeNull();
  at.ms += 19_001;
  expect(buckets.secondsUntilToken('a')).toBe(1);
  at.ms += 999;
  expect(buckets.secondsUntilToken('a')).toBeNull();
  buckets.take('a');
  expect(buckets.secondsUntilToken('a')).toBe(20);
});

test('a bucket is full until a token is taken, and again once that is refilled', () => {
  const { at, buckets } = bucketsAt(2);
  expect(buckets.isFull('a')).toBe(true);

  buckets.take('a');
  at.ms += 29_999;
  expect([buckets.isFull('a'), buckets.isFull('b')]).toEqual([false, true]);
  at.ms += 1;
  expect(buckets.isFull('a')).toBe(true);
});

test('an empty bucket loses nothing more, and a clock that is set back empties none for longer than a minute', () => {
  const { at, buckets } = bucketsAt(2);
  for (let taken = 0; taken < 50; taken += 1) buckets.take('a');

  expect(buckets.secondsUntilToken('a')).toBe(30);
  at.ms -= 500_000;
  expect(buckets.secondsUntilToken('a')).toBe(30);
});

test('the bucket that was not used for longest is discarded for a new one', () => {
  const { buckets } = bucketsAt(1, 2);
  for (const key of ['a', 'b', 'a', 'c']) buckets.take(key);

  expect(buckets.secondsUntilToken('b')).toBeNull();
  expect(buckets.secondsUntilToken('c')).toBe(60);
});

test('no key ever gets more tokens than a full bucket and what was refilled meanwhile', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.boolean()));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120 }), steps, (perMinute, moves) => {
      const { at, buckets } = bucketsAt(perMinute);
      const startMs = at.ms;
      let granted = 0;
      for (const [waitMs, isOurs] of moves) {
        at.ms += waitMs;
        const key = isOurs ? 'a' : 'b';
        if (isOurs && buckets.secondsUntilToken(key) === null) granted += 1;
        buckets.take(key);
      }
      const refilled = ((at.ms - startMs) * perMinute) / 60_000;
      expect(granted).toBeLessThanOrEqual(perMinute + refilled + 1e-6);
    }),
  );
});
