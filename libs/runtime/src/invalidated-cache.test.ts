import type { Clock } from './clock.ts';
import { createInvalidatedCache } from './invalidated-cache.ts';

/** A cache over a source that counts its loads, whose values a test sets and whose loads it holds. */
function openCache(values: Record<string, string>) {
  let nowMs = 1_000_000;
  const clock: Clock = { now: () => nowMs };
  const loads: string[] = [];
  const holds: Promise<void>[] = [];
  const cache = createInvalidatedCache<string>({
    async load(key) {
      loads.push(key);
      const value = values[key] ?? null;
      await holds.shift();
      if (value === 'failing') throw new Error('unavailable');
      return value;
    },
    freshMs: 5_000,
    entriesMax: 2,
    missing: { freshMs: 1_000, entriesMax: 2 },
    clock,
  });
  return {
    cache,
    loads,
    advance: (ms: number) => {
      nowMs += ms;
    },
    /** The next load ends when the returned function is called. */
    hold(): () => void {
      const held = Promise.withResolvers<void>();
      holds.push(held.promise);
      return held.resolve;
    },
  };
}

test('concurrent calls share one load, and its value is fresh from before the load', async () => {
  const { cache, loads, advance, hold } = openCache({ a: 'one' });
  const release = hold();
  const together = Promise.all([cache.get('a'), cache.get('a')]);
  advance(1_000);
  release();
  expect(await together).toEqual(['one', 'one']);

  advance(3_999);
  await cache.get('a');
  expect([loads, cache.isFresh('a')]).toEqual([['a'], true]);
  advance(1);
  await cache.get('a');
  expect(loads).toEqual(['a', 'a']);
});

test('an invalidated value is loaded again, and no other', async () => {
  const values = { a: 'one', b: 'two' };
  const { cache, loads } = openCache(values);
  await Promise.all([cache.get('a'), cache.get('b')]);

  values.a = 'changed';
  cache.invalidate((value) => value === 'one');

  expect(cache.isFresh('a')).toBe(false);
  expect([await cache.get('a'), await cache.get('b')]).toEqual(['changed', 'two']);
  expect(loads).toEqual(['a', 'b', 'a']);
});

test('a load that began before an invalidation serves no later call, however late it ends', async () => {
  const values = { a: 'one' };
  const { cache, loads, hold } = openCache(values);
  const release = hold();
  const early = cache.get('a');

  values.a = 'changed';
  cache.invalidate((_, key) => key === 'a');
  expect(await cache.get('a')).toBe('changed');
  release();

  expect(await early).toBe('one');
  expect(await cache.get('a')).toBe('changed');
  expect(loads).toEqual(['a', 'a']);
});

test('lookups of unknown keys evict no value and are loaded once in their time', async () => {
  const { cache, loads, advance } = openCache({ a: 'one' });
  await cache.get('a');

  for (const key of ['x', 'y', 'z', 'z']) expect(await cache.get(key)).toBeNull();
  await cache.get('a');
  expect(loads).toEqual(['a', 'x', 'y', 'z']);

  advance(1_000);
  await cache.get('z');
  expect(loads.at(-1)).toBe('z');
});

test('any invalidation forgets that there was nothing under a key', async () => {
  const values: Record<string, string> = {};
  const { cache } = openCache(values);
  expect(await cache.get('a')).toBeNull();

  values['a'] = 'created';
  cache.invalidate(() => false);

  expect(await cache.get('a')).toBe('created');
});

test('a clock that was set back keeps nothing fresh', async () => {
  const { cache, advance } = openCache({ a: 'one' });
  await cache.get('a');

  advance(-1);

  expect(cache.isFresh('a')).toBe(false);
});

test('a failed load rejects, and the last value can still be seen', async () => {
  const values = { a: 'one' };
  const { cache, advance } = openCache(values);
  await cache.get('a');
  values.a = 'failing';
  advance(5_000);

  await expect(cache.get('a')).rejects.toThrow('unavailable');

  expect(cache.peek('a')).toMatchObject({ value: 'one', loadedAtMs: 1_000_000 });
});
