import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Refused } from '@inventory/http/refused';
import { BatcherFull } from '@inventory/runtime/concurrency';
import { createUnknownKeys } from './unknown-keys.ts';

function unknownKeys(perMinute = 3) {
  const at = { ms: 0 };
  const keys = createUnknownKeys<string>({ perMinute, clock: { now: () => at.ms } });
  let digests = 0;
  const lookUp = (peer: string, find: () => Promise<string | null>) => {
    digests += 1;
    return keys.lookUp(peer, `digest ${digests}`, find);
  };
  /** Seconds of the refusal as too many unknown keys; null without one, `busy` where it is another. */
  const refusedFor = (peer: string) => {
    const refusal = keys.refusalOf(peer)?.refusal;
    if (refusal === undefined) return null;
    return refusal.code === 'rate_limit_exceeded' ? refusal.retry_after_seconds : 'busy';
  };
  return { at, keys: { refusedFor, lookUp, lookUpKey: keys.lookUp } };
}

const [bad, good] = ['192.0.2.1', '192.0.2.2'];
const notThere = async () => null;
const there = async () => 'a Principal';
const codeOf = (error: unknown) => (error as Refused).refusal?.code;

test('past its misses of a minute the unknown keys of a client are to be refused, and those of no other [unknown-keys]', async () => {
  const { at, keys } = unknownKeys(3);
  for (let tried = 0; tried < 3; tried += 1) {
    expect(keys.refusedFor(bad)).toBeNull();
    expect(await keys.lookUp(bad, notThere)).toBeNull();
  }

  expect([keys.refusedFor(bad), keys.refusedFor(good)]).toEqual([20, null]);
  at.ms += 20_000;
  expect(keys.refusedFor(bad)).toBeNull();
});

test('a key that exists is no miss, however many there are, and neither is a look-up that fails', async () => {
  const { keys } = unknownKeys(1);
  const stalled = async () => {
    throw new Error('no server');
  };
  for (let tried = 0; tried < 20; tried += 1) {
    await keys.lookUp(bad, there);
    await expect(keys.lookUp(bad, stalled)).rejects.toThrow('no server');
  }

  expect(keys.refusedFor(bad)).toBeNull();
  await keys.lookUp(bad, notThere);
  expect(keys.refusedFor(bad)).toBe(60);
});

test('any number of requests with one key share its look-up, found or not', async () => {
  const { keys } = unknownKeys(1);
  const find = jest.fn(there);
  const burst = Array.from({ length: 200 }, () => keys.lookUpKey(bad, 'digest', find));

  expect(await Promise.all(burst)).toEqual(Array(200).fill('a Principal'));
  expect(find).toHaveBeenCalledTimes(1);
  const missed = Array.from({ length: 200 }, () => keys.lookUpKey(bad, 'other', notThere));
  expect(await Promise.all(missed)).toEqual(Array(200).fill(null));
  expect(keys.refusedFor(bad)).toBe(60);
});

test('while the store hangs no more keys are looked up than may miss, and the others are refused as overload, not as unknown keys', async () => {
  const { keys } = unknownKeys(10);
  const held = Promise.withResolvers<null>();
  const find = jest.fn(() => held.promise);
  const waiting = Array.from({ length: 50 }, () => keys.lookUp(bad, find).catch(codeOf));
  await Promise.race(waiting);

  expect([keys.refusedFor(bad), keys.refusedFor(good)]).toEqual(['busy', null]);
  held.reject(new Error('no server'));
  const ended = await Promise.all(waiting);
  expect(ended.filter((code) => code === 'service_unavailable')).toHaveLength(40);
  expect(find).toHaveBeenCalledTimes(10);
  expect(keys.refusedFor(bad)).toBeNull();
});

test('a client that has missed is refused for that, while its last look-up is slow too', async () => {
  const { keys } = unknownKeys(10);
  for (let missed = 0; missed < 9; missed += 1) await keys.lookUp(bad, notThere);
  const held = Promise.withResolvers<null>();
  const last = keys.lookUp(bad, () => held.promise);

  expect(keys.refusedFor(bad)).toBe(6);
  held.resolve(null);
  await last;
  expect(keys.refusedFor(bad)).toBe(6);
});

test('past what the look-ups of all clients may wait they are refused as overload', async () => {
  const { keys } = unknownKeys(10_000);
  const held = Promise.withResolvers<null>();
  const waiting = Array.from({ length: 2_000 }, () =>
    keys.lookUp(bad, () => held.promise).catch((error: unknown) => error),
  );

  expect(await Promise.race(waiting)).toBeInstanceOf(BatcherFull);
  held.resolve(null);
  const ended = await Promise.all(waiting);
  expect(ended.filter((one) => one === null).length).toBeGreaterThanOrEqual(1_000);
});

test.each([
  ['that has missed', 3],
  ['whose other look-ups wait', 0],
])('the look-ups of a client %s do not delay those of others', async (_which, misses) => {
  const { keys } = unknownKeys(1_000);
  const ran: string[] = [];
  const find = (peer: string) => async () => {
    ran.push(peer);
    await nextTurn();
    return null;
  };
  for (let missed = 0; missed < misses; missed += 1) await keys.lookUp(bad, notThere);

  const flood = Array.from({ length: 500 }, () => keys.lookUp(bad, find(bad)));
  await keys.lookUp(good, find(good));

  // Both kinds have run one command each.
  expect(ran.length).toBeLessThan(110);
  await Promise.all(flood);
  expect(ran).toHaveLength(501);
});
