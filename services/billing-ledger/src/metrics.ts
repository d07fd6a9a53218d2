import type { VerifyReport } from '@inventory/contracts/internal/ledger';
import { billingRefusalCodes } from '@inventory/contracts/refusal';
import { ledgerAssets } from '@inventory/contracts/vocabulary';
import { type Clock, elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { counter, gauge, histogram } from '@inventory/runtime/instruments';
import type { Balances } from './accounts/balances.domain.ts';
import type { Entry } from './accounts/entry.domain.ts';
import { entryKinds } from './accounts/movement.domain.ts';
import type { JournalClock } from './journal/journal-clock.ts';
import type { HoldWatch } from './snapshots/old-holds.ts';

const cachedAccounts = gauge({
  name: 'inventory.ledger.accounts.cached',
  description: 'Accounts cached in memory',
});
const quarantinedAccounts = gauge({
  name: 'inventory.ledger.accounts.quarantined',
  description: 'Accounts in quarantine: the commands of their refreshes go to the dead letters',
});
const rebuildingAccounts = gauge({
  name: 'inventory.ledger.accounts.rebuilding',
  description: 'Accounts whose commands wait until this replica has rebuilt their snapshot',
});
const oldestHoldAge = gauge({
  name: 'inventory.ledger.holds.oldest.age',
  description:
    'Age of the oldest open hold of all accounts, checked each minute; 0 when there is none, absent while that is not known',
  unit: 's',
});
const clockOffset = gauge({
  name: 'inventory.ledger.clock.offset',
  description: "How far the replica's clock is ahead of MongoDB's; negative behind it",
  unit: 's',
});

interface Sized {
  readonly size: number;
}

/** Reports the state of this replica. */
export function observeLedger({
  cache,
  quarantine,
  rebuilds,
  holdWatch,
  journalClock,
  clock,
}: {
  readonly cache: Sized;
  readonly quarantine: Sized;
  readonly rebuilds: Sized;
  readonly holdWatch: HoldWatch;
  readonly journalClock: JournalClock;
  readonly clock: Clock;
}): void {
  clockOffset.observe((observe) => {
    const offsetMs = journalClock.offsetMs();
    if (offsetMs !== null) observe(offsetMs / 1_000);
  });
  cachedAccounts.observe((observe) => observe(cache.size));
  quarantinedAccounts.observe((observe) => observe(quarantine.size));
  rebuildingAccounts.observe((observe) => observe(rebuilds.size));
  oldestHoldAge.observe((observe) => {
    const oldestAtMs = holdWatch.oldestAtMs();
    if (oldestAtMs === undefined) return;
    const nowMs = clock.now() - (journalClock.offsetMs() ?? 0);
    observe(oldestAtMs === null ? 0 : Math.max(0, nowMs - oldestAtMs) / 1_000);
  });
}

const moved = counter({
  name: 'inventory.ledger.moved',
  description: 'Credits or units moved by journaled entries, by kind of entry and asset',
  labels: { kind: entryKinds, asset: ledgerAssets },
});
const refusals = counter({
  name: 'inventory.ledger.refusals',
  description: 'Commands refused, by what was commanded and code',
  labels: { command: entryKinds, code: billingRefusalCodes },
});
export const conflicts = counter({
  name: 'inventory.ledger.command_conflicts',
  description: 'Commands whose id was used before with other content',
});
export const repetitions = counter({
  name: 'inventory.ledger.repetitions',
  description: 'Duplicate commands, whose recorded outcome was sent again',
});
export const batchSize = histogram({
  name: 'inventory.ledger.batch.commands',
  description: 'Commands in one batch',
  buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500],
});
export const commitDuration = histogram({
  name: 'inventory.ledger.commit.duration',
  description: 'Time to make the commits of one round durable',
  unit: 's',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
});

export function countEntries(entries: readonly Entry[]): void {
  for (const { kind, command, asset, change, refusal } of entries) {
    if (refusal) refusals.add(1, { command, code: refusal.code });
    else moved.add(movedAmount(change), { kind, asset });
  }
}

/** What arrives in the balances it moves to; what an adjustment takes away leaves them all. */
function movedAmount({ available, held, consumed, expired, issued }: Balances): number {
  const amounts = [available, held, consumed, expired];
  const arriving = amounts.reduce((sum, amount) => sum + Math.max(0, amount), 0);
  return arriving > 0 ? arriving : 0 - Math.min(0, issued);
}

const verifyProblems = gauge({
  name: 'inventory.ledger.verify.problems',
  description: 'Problems found by the last verification of any process; absent before the first',
});
const verifyAge = gauge({
  name: 'inventory.ledger.verify.age',
  description: 'Time since a verification finished; absent before the first',
  unit: 's',
});
const verifyDuration = histogram({
  name: 'inventory.ledger.verify.duration',
  description: 'Verifications by this process, by result',
  unit: 's',
  labels: { result: ['sound', 'problems', 'failed'] },
  buckets: [0.1, 1, 10, 60, 300, 900, 3600, 14400],
});

/** Reports the last verification of any process; null before the first. */
export function observeVerification(readLast: () => VerifyReport | null, now: () => number): void {
  verifyProblems.observe((observe) => {
    const last = readLast();
    if (last) observe(last.problems.length);
  });
  verifyAge.observe((observe) => {
    const last = readLast();
    if (last) observe(Math.max(0, now() - last.finishedAtMs) / 1_000);
  });
}

/** Runs a verification and records its result and duration. */
export async function recordVerification<Result extends { readonly problems: readonly unknown[] }>(
  verify: () => Promise<Result>,
): Promise<Result> {
  const startMs = monotonicNow();
  const ended = (result: 'sound' | 'problems' | 'failed') =>
    verifyDuration.record(elapsedSince(startMs) / 1_000, { result });
  try {
    const verification = await verify();
    ended(verification.problems.length === 0 ? 'sound' : 'problems');
    return verification;
  } catch (error) {
    ended('failed');
    throw error;
  }
}
