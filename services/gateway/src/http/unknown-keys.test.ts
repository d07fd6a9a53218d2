import { Refused } from '@inventory/http/refused';
import { createUnknownKeys } from './unknown-keys.ts';

function unknownKeys(perMinute = 3) {
  const at = { ms: 0 };
  const keys = createUnknownKeys<string>({ perMinute, clock: { now: () => at.ms } });
  let digests = 0;
  const lookUp = (peer: string, find: () => Promise<string | null>) => {
    digests += 1;
    return keys.lookUp(peer, `digest ${digests}`, find);
  };
  return { at, keys: { ...keys, lookUp, lookUpKey: keys.lookUp } };
}

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error as Refused).refusal,
  );
const notThere = async () => null;
const there = async () => 'a Principal';

test('past its refusals of a minute the unknown keys of a peer are refused without a look-up', async () => {
  const { at, keys } = unknownKeys(3);
  const find = jest.fn(notThere);
  for (let tried = 0; tried < 3; tried += 1) expect(await keys.lookUp('a', find)).toBeNull();

  expect(await refusalOf(keys.lookUp('a', find))).toEqual({
    code: 'rate_limit_exceeded',
    detail: { limit: 'unknown_keys' },
    retry_after_seconds: 20,
  });
  expect(find).toHaveBeenCalledTimes(3);
  expect(await keys.lookUp('b', there)).toBe('a Principal');
  at.ms += 20_000;
  expect(await keys.lookUp('a', find)).toBeNull();
});

test('a key that exists takes no refusal, however many there are', async () => {
  const { keys } = unknownKeys(1);
  for (let tried = 0; tried < 20; tried += 1) await keys.lookUp('a', there);

  expect(keys.secondsRefused('a')).toBeNull();
  await keys.lookUp('a', notThere);
  expect(keys.secondsRefused('a')).toBe(60);
});

test('any number of requests with one key share its look-up, found or not', async () => {
  const { keys } = unknownKeys(1);
  const find = jest.fn(there);
  const burst = Array.from({ length: 200 }, () => keys.lookUpKey('a', 'digest', find));

  expect(await Promise.all(burst)).toEqual(Array(200).fill('a Principal'));
  expect(find).toHaveBeenCalledTimes(1);
  const missed = Array.from({ length: 200 }, () => keys.lookUpKey('a', 'other', notThere));
  expect(await Promise.all(missed)).toEqual(Array(200).fill(null));
  expect(keys.secondsRefused('a')).toBe(60);
});

test('eight look-ups run at a time, and one peer leaves places for others', async () => {
  const { keys } = unknownKeys(1_000);
  const held = Promise.withResolvers<null>();
  let running = 0;
  const find = () => {
    running += 1;
    return held.promise;
  };
  const started = Array.from({ length: 32 }, () => keys.lookUp('a', find));

  const ofTheSame = await refusalOf(keys.lookUp('a', find));
  const ofAnother = keys.lookUp('b', find);

  expect(ofTheSame).toMatchObject({ code: 'rate_limit_exceeded', retry_after_seconds: 1 });
  expect(running).toBe(8);
  held.resolve(null);
  expect(await Promise.all([...started, ofAnother])).toEqual(Array(33).fill(null));
  expect(running).toBe(33);
});

test('with every place taken a look-up is refused, and a failure frees its place too', async () => {
  const { keys } = unknownKeys(1_000);
  const held = Promise.withResolvers<null>();
  const waiting = Array.from({ length: 128 }, (_none, index) =>
    refusalOf(keys.lookUp(`peer-${index % 8}`, () => held.promise)),
  );

  expect(await refusalOf(keys.lookUp('another', there))).toBeInstanceOf(Object);
  held.reject(new Refused({ code: 'internal_error' }));
  await Promise.all(waiting);
  expect(await keys.lookUp('another', there)).toBe('a Principal');
});
