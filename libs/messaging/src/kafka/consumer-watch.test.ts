import type { Consumer } from 'kafkajs';
import { type ConsumerWatch, createConsumerWatch } from './consumer-watch.ts';

const sessionTimeoutMs = 15_000;
let nowMs: number;
let watch: ConsumerWatch;
let emit: (event: string) => void;

beforeEach(() => {
  nowMs = 1_000_000;
  const listeners = new Map<string, () => void>();
  const events = { HEARTBEAT: 'h', GROUP_JOIN: 'j', FETCH: 'f', CRASH: 'c', REQUEST_TIMEOUT: 't' };
  watch = createConsumerWatch(sessionTimeoutMs, () => nowMs);
  watch.attach({
    events,
    on: (event: string, listener: () => void) => listeners.set(event, listener),
  } as unknown as Consumer);
  emit = (event) => listeners.get(event)?.();
});

test('a consumer works from its first fetch as a member, not from its first fetch', async () => {
  let started = false;
  const starting = watch.started().then(() => {
    started = true;
  });
  emit('f');
  emit('j');
  await Promise.resolve();
  expect([watch.working(), started]).toEqual([false, false]);

  emit('f');
  await starting;

  expect([watch.working(), started]).toEqual([true, true]);
});

test('a consumer that has once fetched as a member has started, whatever happens to it later', () => {
  emit('j');
  expect(watch.hasStarted()).toBe(false);
  emit('f');
  expect(watch.hasStarted()).toBe(true);

  emit('c');
  nowMs += 10 * sessionTimeoutMs;

  expect([watch.working(), watch.hasStarted()]).toEqual([false, true]);
});

test('a consumer that stopped without an event counts as not working, then as dead', () => {
  emit('j');
  emit('f');

  nowMs += 9_999;
  expect([watch.working(), watch.alive()]).toEqual([true, true]);
  nowMs += 1;
  expect([watch.working(), watch.alive()]).toEqual([false, true]);
  nowMs += 3 * sessionTimeoutMs;
  expect([watch.working(), watch.alive()]).toEqual([false, false]);
});

test('heartbeats during a slow handler keep it working', () => {
  emit('j');
  emit('f');
  for (let beat = 0; beat < 100; beat += 1) {
    nowMs += 3_000;
    emit('h');
  }

  expect([watch.working(), watch.alive()]).toEqual([true, true]);
});

test.each([
  ['searches for its brokers', () => watch.connecting()],
  ['waits for a broker that does not answer', () => emit('t')],
])('a consumer that %s is not working, but not dead', (_case, attempt) => {
  emit('j');
  emit('f');
  for (let attempts = 0; attempts < 1_000; attempts += 1) {
    nowMs += 2_000;
    attempt();
  }
  expect([watch.working(), watch.alive()]).toEqual([false, true]);

  nowMs += 3 * sessionTimeoutMs;
  expect(watch.alive()).toBe(false);
});

test('after a crash it is not working until it is a member again', () => {
  emit('j');
  emit('f');
  emit('c');
  emit('f');
  expect(watch.working()).toBe(false);

  emit('j');
  emit('f');
  expect(watch.working()).toBe(true);
});
