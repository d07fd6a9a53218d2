import { type ConsumerWatch, createConsumerWatch } from './consumer-watch.ts';

const sessionTimeoutMs = 15_000;
let nowMs: number;
let watch: ConsumerWatch;

beforeEach(() => {
  nowMs = 1_000_000;
  watch = createConsumerWatch(sessionTimeoutMs, () => nowMs);
});

test('a consumer works from its first fetch as a member, not from its first fetch', async () => {
  let started = false;
  const starting = watch.started().then(() => {
    started = true;
  });
  watch.saw.fetched();
  watch.saw.joined();
  await Promise.resolve();
  expect([watch.working(), started]).toEqual([false, false]);

  watch.saw.fetched();
  await starting;

  expect([watch.working(), started]).toEqual([true, true]);
});

test('a consumer that has once fetched as a member has started, whatever happens to it later', () => {
  watch.saw.joined();
  expect(watch.hasStarted()).toBe(false);
  watch.saw.fetched();
  expect(watch.hasStarted()).toBe(true);

  watch.saw.crashed();
  nowMs += 10 * sessionTimeoutMs;

  expect([watch.working(), watch.hasStarted()]).toEqual([false, true]);
});

test('a consumer that stopped without an event counts as not working, then as dead', () => {
  watch.saw.joined();
  watch.saw.fetched();

  nowMs += 9_999;
  expect([watch.working(), watch.alive()]).toEqual([true, true]);
  nowMs += 1;
  expect([watch.working(), watch.alive()]).toEqual([false, true]);
  nowMs += 3 * sessionTimeoutMs;
  expect([watch.working(), watch.alive()]).toEqual([false, false]);
});

test('heartbeats during a slow handler keep it working', () => {
  watch.saw.joined();
  watch.saw.fetched();
  for (let beat = 0; beat < 100; beat += 1) {
    nowMs += 3_000;
    watch.saw.heartbeat();
  }

  expect([watch.working(), watch.alive()]).toEqual([true, true]);
});

test('a consumer that searches for its brokers, or waits for one, is not working, but not dead', () => {
  watch.saw.joined();
  watch.saw.fetched();
  for (let attempts = 0; attempts < 1_000; attempts += 1) {
    nowMs += 2_000;
    watch.saw.trying();
  }
  expect([watch.working(), watch.alive()]).toEqual([false, true]);

  nowMs += 3 * sessionTimeoutMs;
  expect(watch.alive()).toBe(false);
});

test('after a crash it is not working until it is a member again', () => {
  watch.saw.joined();
  watch.saw.fetched();
  watch.saw.crashed();
  watch.saw.fetched();
  expect(watch.working()).toBe(false);

  watch.saw.joined();
  watch.saw.fetched();
  expect(watch.working()).toBe(true);
});
