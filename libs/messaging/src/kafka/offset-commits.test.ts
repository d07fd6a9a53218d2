import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { createOffsetCommits, type OffsetCommits } from './offset-commits.ts';
import type { GroupPosition } from './wire-client.ts';

let commits: OffsetCommits;

function open(respond: () => Promise<void> = async () => {}) {
  const sent: string[][] = [];
  const commit = async (offsets: readonly GroupPosition[]) => {
    sent.push(offsets.map(({ partition, offset }) => `${partition}:${offset}`));
    await respond();
  };
  commits = createOffsetCommits(only({ commit }), testLogger);
  return sent;
}

afterEach(() => commits.close(10));

test('the position after the last finished record is committed, once', async () => {
  const sent = open();
  commits.finished('t', 0, '9007199254740993');
  commits.finished('t', 0, '9007199254740994');
  commits.finished('t', 1, '4');

  await commits.flush(1_000);
  await commits.flush(1_000);

  expect(sent).toEqual([['0:9007199254740995', '1:5']]);
});

test('a failed commit is repeated, unless there is a newer position', async () => {
  let failing = true;
  const sent = open(async () => {
    if (failing) throw new Error('the coordinator moved');
  });
  commits.finished('t', 0, '1');
  commits.finished('t', 1, '1');
  const first = commits.flush(1_000);
  await Promise.resolve();
  commits.finished('t', 1, '7');
  await first;

  failing = false;
  await commits.flush(1_000);

  expect(sent).toEqual([
    ['0:2', '1:2'],
    ['1:8', '0:2'],
  ]);
});

test('positions of partitions that were reassigned are not committed any more', async () => {
  const sent = open();
  commits.finished('t', 1, '1');

  commits.forget();
  await commits.flush(1_000);

  expect(sent).toEqual([]);
});

test('a commit that failed because partitions were reassigned is not repeated', async () => {
  const sent = open(async () => {
    commits.forget();
    throw new Error('the group is rebalancing');
  });
  commits.finished('t', 0, '1');

  await commits.flush(1_000);
  await commits.flush(1_000);

  expect(sent).toEqual([['0:2']]);
});

test('a commit that hangs blocks no longer than the deadline', async () => {
  const sent = open(() => new Promise(() => {}));
  commits.finished('t', 0, '1');

  await commits.flush(50);

  expect(sent).toEqual([['0:2']]);
});
