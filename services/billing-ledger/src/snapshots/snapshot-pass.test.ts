import { createLogger } from '@inventory/runtime/logger';
import { newAccountId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { AccountActivity } from '../journal/journal-store.ts';
import { commitDelayMaxMs, createSnapshotPass } from './snapshot-pass.ts';

const intervalMs = 60_000;
const hourMs = 3_600_000;

/** Accounts active now and then, and passes over them that were recorded up to a time. */
function passesOver(activity: readonly AccountActivity[], passedMs: number) {
  const clock = createTestClock();
  const passed: string[] = [];
  const hooks = { onPassed: () => {} };
  let throughMs = passedMs;
  const pass = createSnapshotPass({
    journal: only({
      listActiveAccounts: async (timeMs, limit) =>
        activity.filter(({ atMs }) => atMs >= timeMs).slice(0, limit),
    }),
    snapshots: only({
      findPassedThrough: async () => throughMs,
      async movePass(fromMs, toMs) {
        if (throughMs !== fromMs) return false;
        throughMs = toMs;
        return true;
      },
    }),
    bringUpToDate: async (accountId) => {
      passed.push(accountId);
      hooks.onPassed();
      return undefined as never;
    },
    rollUpUsage: async () => {},
    runLeased: async (_name, work) => work(new AbortController().signal),
    intervalMs,
    clock: only(clock),
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  const move = (toMs: number) => {
    throughMs = toMs;
  };
  return { pass, passed, hooks, move, through: () => throughMs };
}

const start = createTestClock().now();
const activeAt = (atMs: number): AccountActivity => ({
  accountId: newAccountId(),
  lastSeq: 1,
  atMs,
});

test('a pass is over the accounts active since the last one, and over those whose commits may have come late', async () => {
  const [old, late, recent] = [start - hourMs, start - 90_000, start - 1_000].map(activeAt);
  const activity = [old, late, recent].filter((one) => one !== undefined);
  const { pass, passed, through } = passesOver(activity, start - intervalMs);

  await pass();
  await pass();

  expect(late?.atMs).toBeGreaterThan(start - intervalMs - commitDelayMaxMs);
  expect(passed).toEqual([late?.accountId, recent?.accountId]);
  expect(through()).toBe(start);
});

test('a pass that was recorded by a clock that was ahead is not believed: the next one is over all accounts', async () => {
  const activity = [start - 50 * hourMs, start - 2 * hourMs].map(activeAt);
  const { pass, passed, through } = passesOver(activity, start + 24 * hourMs);

  await pass();

  expect(passed).toEqual(activity.map(({ accountId }) => accountId));
  expect(through()).toBe(start);
});

test('a pass that another one overtook records nothing', async () => {
  const overtaken = passesOver([activeAt(start - 1_000)], 0);
  const later = start + hourMs;
  overtaken.hooks.onPassed = () => overtaken.move(later);

  await overtaken.pass();

  expect(overtaken.through()).toBe(later);
});
