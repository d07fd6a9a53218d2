import { createRecentUse, unusedAfterMs } from './recent-use.ts';

function openUse(leaseMs = 15_000) {
  let nowMs = 0;
  const use = createRecentUse({ leaseMs }, () => nowMs);
  const reads: PromiseWithResolvers<void>[] = [];
  use.onResumed(() => {
    const read = Promise.withResolvers<void>();
    reads.push(read);
    return read.promise;
  });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { use, reads, pass };
}

async function isSettled(promise: Promise<void>): Promise<boolean> {
  const pending = Symbol();
  const first = await Promise.race([
    promise.then(() => true),
    new Promise((resolve) => setImmediate(resolve, pending)),
  ]);
  return first !== pending;
}

it('pauses are as given within a minute of a use, five seconds after it, and at most a third of the lease (decisions/0032)', async () => {
  const { use, reads, pass } = openUse();
  pass(unusedAfterMs - 1);
  expect(use.pauseMs(250)).toBe(250);

  await use.note();
  pass(unusedAfterMs - 1);
  expect([use.pauseMs(250), reads.length]).toEqual([250, 0]);

  pass(1);
  expect([use.pauseMs(250), use.pauseMs(60_000)]).toEqual([5_000, 60_000]);
  const short = openUse(3_000);
  short.pass(unusedAfterMs);
  expect(short.use.pauseMs(250)).toBe(1_000);
});

it.each(['ended', 'failed'])(
  'after a quiet time every use waits until what others changed is read once, also where the reading has %s',
  async (end) => {
    const { use, reads, pass } = openUse();
    pass(unusedAfterMs);

    const uses = [use.note(), use.note()];
    expect(await Promise.all(uses.map(isSettled))).toEqual([false, false]);
    if (end === 'ended') reads[0]?.resolve();
    else reads[0]?.reject(new Error('no store'));
    await Promise.all([...uses, use.note()]);

    expect([reads.length, use.pauseMs(250)]).toEqual([1, 250]);
  },
);
