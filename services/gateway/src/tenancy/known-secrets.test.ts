import { createKnownSecrets } from './known-secrets.ts';

const [one = '', two = '', three = '', four = ''] = ['1', '2', '3', '4'].map((digit) =>
  digit.repeat(64),
);

/** A store whose reads pause after their first digest. */
function createStore() {
  const stored = { digests: [one] };
  const paused = { until: Promise.resolve() };
  return {
    stored,
    paused,
    async *readSecretDigests() {
      const [first, ...rest] = stored.digests;
      if (first !== undefined) yield first;
      await paused.until;
      yield* rest;
    },
  };
}

test('what the store has is known once it was read, and what is added at once, by its first digits too', async () => {
  const store = createStore();
  const known = createKnownSecrets(store);
  expect(known.has(one)).toBe(false);

  await known.read();
  known.add(two.slice(0, 13));

  expect([one, two, three].map(known.has)).toEqual([true, true, false]);
});

test('a read finds what was lost and drops what is gone, and keeps what is added meanwhile', async () => {
  const store = createStore();
  const known = createKnownSecrets(store);
  await known.read();
  known.add(two);
  const pause = Promise.withResolvers<void>();
  store.paused.until = pause.promise;
  store.stored.digests = [two, three];

  const reading = known.read();
  known.add(four);
  expect([one, two, three, four].map(known.has)).toEqual([true, true, false, true]);
  pause.resolve();
  await reading;

  expect([one, two, three, four].map(known.has)).toEqual([false, true, true, true]);
});

test('a read that fails changes nothing', async () => {
  const store = createStore();
  const known = createKnownSecrets(store);
  await known.read();
  store.paused.until = Promise.reject(new Error('no server'));
  store.stored.digests = [two];

  await expect(known.read()).rejects.toThrow('no server');
  known.add(three);

  expect([one, two, three].map(known.has)).toEqual([true, false, true]);
});
