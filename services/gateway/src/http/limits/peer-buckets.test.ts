import { createPeerBuckets } from './peer-buckets.ts';

function bucketsOf(perMinute: number) {
  const at = { ms: 1_000_000 };
  return { at, buckets: createPeerBuckets(perMinute, { now: () => at.ms }) };
}

test('the addresses of a /64 share their tokens, and the /64s of a /48 eight times as many, however many they are', () => {
  const { buckets } = bucketsOf(3);
  const takenOf = (addresses: readonly string[]) => addresses.filter(buckets.take).length;
  const hosts = Array.from({ length: 10 }, (_none, host) => `2001:db8:1:1::${host}`);
  const links = Array.from(
    { length: 60_000 },
    (_none, link) => `2001:db8:1:${link.toString(16)}::1`,
  );

  expect(takenOf(hosts)).toBe(3);
  expect(takenOf(links)).toBe(8 * 3 - 3);
  // No bucket of a /64 has replaced that of the /48.
  expect(takenOf(links)).toBe(0);
  expect(buckets.secondsUntilToken('2001:db8:1:ffff::2')).toBe(3);
  expect(takenOf(['2001:db8:2:1::1'])).toBe(1);
});

test('an IPv4 address has tokens of its own, mapped or not', () => {
  const { buckets } = bucketsOf(1);

  expect([buckets.take('192.0.2.1'), buckets.take('::ffff:192.0.2.1')]).toEqual([true, false]);
  expect(buckets.take('192.0.2.2')).toBe(true);
});

test('an address is full while neither it nor another of its /48 has taken a token', () => {
  const { at, buckets } = bucketsOf(1);
  const full = () => ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:2:1::1'].map(buckets.isFull);
  expect(full()).toEqual([true, true, true]);

  buckets.take('2001:db8:1:1::2');
  expect(full()).toEqual([false, false, true]);
  at.ms += 60_000 / 8;
  expect(full()).toEqual([false, true, true]);
  at.ms += 60_000;
  expect(full()).toEqual([true, true, true]);
});

test('what the empty bucket of a /64 refuses takes no token of the /48', () => {
  const { buckets } = bucketsOf(2);
  for (let tried = 0; tried < 100; tried += 1) buckets.take('2001:db8:1:1::1');

  const links = Array.from({ length: 20 }, (_none, link) => `2001:db8:1:${link + 2}::1`);
  expect(links.filter(buckets.take)).toHaveLength(8 * 2 - 2);
});
