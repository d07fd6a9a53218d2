import { LeaseLost } from '@inventory/runtime/hold-lease';
import { only } from '@inventory/testkit/only';
import { passingStoreErrors } from '@inventory/testkit/passing-store-errors';
import { pruneEach } from './prune-each.ts';

const going = new AbortController().signal;

async function* three() {
  yield* ['first', 'second', 'third'];
}

test.each(passingStoreErrors)(
  '%s ends a round of pruning: the next one repeats it',
  async (_name, error) => {
    const logger = { error: jest.fn() };

    await expect(pruneEach(only(logger), three(), () => Promise.reject(error), going)).rejects.toBe(
      error,
    );
    expect(logger.error).not.toHaveBeenCalled();
  },
);

test('a fault of one, or a lease that another has, keeps no other one from being pruned', async () => {
  const failures = new Map([
    ['first', new TypeError('no number')],
    ['second', new LeaseLost()],
  ]);
  const logger = { error: jest.fn() };
  const pruned: string[] = [];
  const prune = async (id: string) => {
    const failure = failures.get(id);
    if (failure) throw failure;
    pruned.push(id);
  };

  await pruneEach(only(logger), three(), prune, going);

  expect(pruned).toEqual(['third']);
  expect(logger.error).toHaveBeenCalledTimes(1);
});
