import type { VerifyReport } from '@inventory/contracts/internal/ledger';
import { createLogger } from '@inventory/runtime/logger';
import { createMemoryLeases } from '@inventory/testkit/memory-leases';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { createRunLeased } from '../run-leased.ts';
import { leaseMs } from '../work.ts';
import { createVerifier } from './verifier.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

/** Two replicas. The first verification ends when the test ends it, each later one at once. */
function openReplicas(endedMs: number | null = null) {
  const clock = createTestClock();
  const leases = createMemoryLeases(clock, leaseMs);
  const process = { clock, stopping: new AbortController().signal, logger };
  const firstEnds = Promise.withResolvers<void>();
  const counts = { begun: 0, attempts: 0 };
  const found = { ok: true, accounts: 0, entries: 0, problems: [] };
  let stored: VerifyReport | null =
    endedMs === null ? null : { ...found, startedAtMs: 0, finishedAtMs: clock.now() + endedMs };
  const parts = {
    ...process,
    verify: async () => {
      counts.begun += 1;
      const entries = counts.begun;
      if (entries === 1) await firstEnds.promise;
      clock.advance(1);
      return { accounts: 1, entries, problems: [] };
    },
    verifications: {
      findLast: async () => stored,
      saveLast: async (record: VerifyReport) => {
        stored = record;
      },
    },
  };
  const counted: typeof leases = {
    ...leases,
    acquire(lease) {
      counts.attempts += 1;
      return leases.acquire(lease);
    },
  };
  const replicas = ['first', 'second'].map((holder) =>
    createVerifier({ ...parts, runLeased: createRunLeased(counted, holder, process) }),
  );
  return { replicas, counts, endFirst: firstEnds.resolve };
}

test('requests while a verification runs get its report, whichever replica has them, and begin no other (Operating surface: ledger verify) [ledger-verify]', async () => {
  const { replicas, counts, endFirst } = openReplicas();
  const requested = replicas[0]?.run();
  await waitFor('it runs', () => counts.begun === 1);

  const retried = [...replicas, ...replicas].map((replica) => replica.run());
  await waitFor('each of them finds that it runs', () => counts.attempts > retried.length);
  endFirst();

  const reports = await Promise.all([requested, ...retried]);
  expect(reports.map((report) => report?.entries)).toEqual([1, 1, 1, 1, 1]);
  expect(counts.begun).toBe(1);
});

test('a request after a verification has ended begins another', async () => {
  const { replicas, endFirst } = openReplicas();
  endFirst();

  const reports = [await replicas[0]?.run(), await replicas[1]?.run()];

  expect(reports.map((report) => report?.entries)).toEqual([1, 2]);
});

test.each([
  ['an hour ago', -3_600_000, 0],
  ['a day ago', -86_400_000, 1],
  ['in an hour, by a clock that was ahead', 3_600_000, 1],
])(
  'a verification that ended %s (%i ms) leaves %i due, where one is due each day',
  async (_when, endedMs, begun) => {
    const { replicas, counts, endFirst } = openReplicas(endedMs);
    endFirst();

    await replicas[0]?.runIfDue(86_400_000);

    expect(counts.begun).toBe(begun);
  },
);
