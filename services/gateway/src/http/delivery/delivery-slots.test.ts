import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import type { DeliverySlot } from '../request-state.ts';
import { createDeliverySlots } from './delivery-slots.ts';

const bytesPerSecondMin = 64 * 1024;
/** A pause of ten seconds and the time of a step, four. */
const patienceMs = 14_000;

function placesOf(limits = { perKeyMax: 2, totalMax: 3 }) {
  const clock = createTestClock();
  const slots = createDeliverySlots<string>({ limits, bytesPerSecondMin, kind: 'page', clock });
  const ended: string[] = [];
  /** Takes a slot; the result where there is none. */
  function take(key: string, size = 1): DeliverySlot | string {
    const permit = slots.acquire(key, size, () => void ended.push(key));
    return permit.result === 'granted' ? permit.slot : permit.result;
  }
  function hold(key: string, size = 1): DeliverySlot {
    const slot = take(key, size);
    if (typeof slot === 'string') throw new Error(slot);
    return slot;
  }
  return { clock, ended, take, hold };
}

test('a key has no more than its part, all keys no more than there is, and what is released is free once (Everything is bounded)', () => {
  const { take, hold } = placesOf();
  const [first] = [hold('a'), hold('a'), hold('b')];

  expect([take('a'), take('b'), take('c')]).toEqual(Array(3).fill('total_full'));
  first.release();
  first.release();
  expect(take('b')).not.toBe('total_full');
  expect(take('c')).toBe('total_full');
});

test('what is larger than the part of a key is delivered alone', () => {
  const { take, hold } = placesOf({ perKeyMax: 10, totalMax: 100 });
  const large = hold('a', 1_000);

  expect(take('a', 1)).toBe('key_full');
  large.release();
  expect(take('a', 1)).not.toBe('key_full');
});

test('what turns out larger is held all the same, and what turns out smaller frees capacity', () => {
  const { take, hold } = placesOf({ perKeyMax: 10, totalMax: 20 });
  const [slot, other] = [hold('a', 1), hold('a', 9)];
  slot.resize(9);
  expect([take('a', 1), take('b', 3)]).toEqual(['key_full', 'total_full']);

  other.release();
  slot.resize(4);
  expect(take('a', 7)).toBe('key_full');
  hold('a', 6);
  slot.release();
  slot.resize(9);
  expect(take('a', 4)).not.toBe('key_full');
});

test('what is slow keeps its slot until another is refused, and what is fast enough, paused, or not begun keeps it then too', () => {
  const { clock, ended, take, hold } = placesOf({ perKeyMax: 1, totalMax: 4 });
  const [slow, fast, paused] = ['slow', 'fast', 'paused'].map((key) => hold(key));
  hold('not begun');
  for (const slot of [slow, fast]) slot?.taken(1);
  for (let second = 0; second < 60; second += 1) {
    clock.advance(1_000);
    slow?.taken(bytesPerSecondMin - 1_000);
    fast?.taken(bytesPerSecondMin);
  }
  paused?.taken(10 * bytesPerSecondMin);
  clock.advance(patienceMs - 1);
  fast?.taken(bytesPerSecondMin);
  expect(ended).toEqual([]);

  expect(take('new')).not.toBe('total_full');
  expect(ended).toEqual(['slow']);
  expect(take('newer')).toBe('total_full');
});

test('for a key that has its part only its own slow ones are ended', () => {
  const { clock, ended, take, hold } = placesOf({ perKeyMax: 1, totalMax: 3 });
  for (const key of ['a', 'b']) hold(key).taken(1);
  clock.advance(patienceMs - 1);
  expect(take('b')).toBe('key_full');

  clock.advance(1);
  expect(take('b')).not.toBe('key_full');
  expect(ended).toEqual(['b']);
});

test('at the least pace a client is never ended, in whatever steps it takes', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 256 * 1024 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(steps, (taken) => {
      const { clock, take, hold } = placesOf({ perKeyMax: 1, totalMax: 1 });
      const slot = hold('a');
      slot.taken(16 * 1024);
      for (const bytes of taken) {
        clock.advance(Math.floor((bytes * 1_000) / bytesPerSecondMin));
        expect(take('b')).toBe('total_full');
        slot.taken(bytes);
      }
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('a client that takes a byte a second keeps its slot for a quarter of a minute at most, where another wants it', () => {
  const { clock, ended, take, hold } = placesOf({ perKeyMax: 1, totalMax: 1 });
  const slot = hold('a');
  slot.taken(16 * 1024);
  for (let second = 0; second < 15; second += 1) {
    clock.advance(1_000);
    slot.taken(1);
  }

  expect(take('b')).not.toBe('total_full');
  expect(ended).toEqual(['a']);
});
