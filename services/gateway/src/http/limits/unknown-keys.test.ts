import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { retryAfterOf } from '@inventory/contracts/refusal';
import { Refused } from '@inventory/http/refused';
import { createPeerBuckets } from './peer-buckets.ts';
import { createUnknownKeys } from './unknown-keys.ts';

function unknownKeys(perMinute = 3) {
  const at = { ms: 0 };
  const keys = createUnknownKeys<string>(createPeerBuckets(perMinute, { now: () => at.ms }));
  let digests = 0;
  const lookUp = (peer: string, find: () => Promise<string | null>) => {
    digests += 1;
    return keys.lookUp(peer, `digest ${digests}`, find);
  };
  /** How a key ended: its Principal, null for none, the seconds of its refusal as one of too many. */
  const endOf = (peer: string, find: () => Promise<string | null>) =>
    lookUp(peer, find).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      expect(error.refusal).toMatchObject({ code: 'rate_limit_exceeded' });
      return retryAfterOf(error.refusal);
    });
  return { at, keys: { ...keys, endOf, lookUp, lookUpKey: keys.lookUp } };
}

const [bad, good] = ['192.0.2.1', '192.0.2.2'];
const notThere = async () => null;
const there = async () => 'a Principal';

test('past its misses of a minute a client is refused its unknown keys, and no other client is [unknown-keys]', async () => {
  const { at, keys } = unknownKeys(3);
  for (let tried = 0; tried < 3; tried += 1) {
    expect(keys.isPastLimit(bad)).toBe(false);
    expect(await keys.endOf(bad, notThere)).toBeNull();
  }

  expect([keys.isPastLimit(bad), keys.isPastLimit(good)]).toEqual([true, false]);
  expect([await keys.endOf(bad, notThere), await keys.endOf(good, notThere)]).toEqual([20, null]);
  at.ms += 20_000;
  expect(await keys.endOf(bad, notThere)).toBeNull();
});

test('a key that exists is never refused for them, however many of its client do not, and however many come at once [unknown-keys]', async () => {
  const { keys } = unknownKeys(1);
  const flood = Array.from({ length: 2_000 }, () => keys.endOf(bad, notThere));
  const among = Array.from({ length: 20 }, () => keys.endOf(bad, there));
  const later = Array.from({ length: 2_000 }, () => keys.endOf(bad, notThere));

  expect(await Promise.all(among)).toEqual(Array(20).fill('a Principal'));
  const ended = await Promise.all([...flood, ...later]);
  expect(ended.filter((end) => end === null)).toHaveLength(1);
  expect(ended.filter((end) => end === 60)).toHaveLength(3_999);
});

test('a key that exists is not a miss, however many there are, and neither is a lookup that fails', async () => {
  const { keys } = unknownKeys(1);
  const stalled = async () => {
    throw new Error('no server');
  };
  for (let tried = 0; tried < 20; tried += 1) {
    await keys.lookUp(bad, there);
    await expect(keys.lookUp(bad, stalled)).rejects.toThrow('no server');
  }

  expect(await keys.endOf(bad, notThere)).toBeNull();
  expect(await keys.endOf(bad, notThere)).toBe(60);
});

test('any number of requests with one key share its lookup, found or not', async () => {
  const { keys } = unknownKeys(1);
  const find = jest.fn(there);
  const burst = Array.from({ length: 200 }, () => keys.lookUpKey(bad, 'digest', find));

  expect(await Promise.all(burst)).toEqual(Array(200).fill('a Principal'));
  expect(find).toHaveBeenCalledTimes(1);
  const missed = Array.from({ length: 200 }, () => keys.lookUpKey(bad, 'other', notThere));
  expect(await Promise.all(missed)).toEqual(Array(200).fill(null));
  expect(await keys.endOf(bad, notThere)).toBe(60);
});

test('while the store hangs no more lookups are sent to it than share two commands', async () => {
  const { keys } = unknownKeys(10);
  const held = Promise.withResolvers<null>();
  const find = jest.fn(() => held.promise);
  const waiting = Array.from({ length: 500 }, () => keys.endOf(bad, find));
  await yieldToEventLoop();
  await yieldToEventLoop();

  expect(find.mock.calls.length).toBeLessThanOrEqual(100);
  held.resolve(null);
  expect((await Promise.all(waiting)).filter((end) => end === null)).toHaveLength(10);
});

test.each([
  ['that has missed', 3],
  ['whose other lookups wait', 0],
])('the lookups of a client %s do not delay those of others', async (_which, misses) => {
  const { keys } = unknownKeys(1_000);
  const ran: string[] = [];
  const find = (peer: string) => async () => {
    ran.push(peer);
    await yieldToEventLoop();
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
