import { billingRefusalCodes } from '@inventory/contracts/refusal';
import { ledgerAssets } from '@inventory/contracts/vocabulary';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { instrumentsOf } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';
import type { Balances } from './accounts/balances.domain.ts';
import type { Entry } from './accounts/entry.domain.ts';
import { entryKinds } from './accounts/movement.domain.ts';

const { counter, gauge, histogram } = instrumentsOf(metrics.getMeter('@inventory/billing-ledger'));

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
const conflicts = counter({
  name: 'inventory.ledger.command_conflicts',
  description: 'Commands whose id was used before with other content',
});
const repetitions = counter({
  name: 'inventory.ledger.repetitions',
  description: 'Duplicate commands, answered with the recorded outcome',
});
const batchSize = histogram({
  name: 'inventory.ledger.batch.commands',
  description: 'Commands in one batch',
  buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500],
});
const commitDuration = histogram({
  name: 'inventory.ledger.commit.duration',
  description: 'Time to make the commits of one round durable',
  unit: 's',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
});
const cachedAccounts = gauge({
  name: 'inventory.ledger.accounts.cached',
  description: 'Accounts cached in memory',
});
const quarantinedAccounts = gauge({
  name: 'inventory.ledger.accounts.quarantined',
  description: 'Accounts in quarantine: their commands go to the dead letters',
});
const behindAccounts = gauge({
  name: 'inventory.ledger.accounts.behind',
  description: 'Accounts whose commands wait until this replica has rebuilt their snapshot',
});
const openHolds = gauge({
  name: 'inventory.ledger.holds.open',
  description: 'Open holds of the accounts cached by this replica',
});
const oldestHoldAge = gauge({
  name: 'inventory.ledger.holds.oldest.age',
  description:
    'Age of the oldest open hold, of cached accounts or, as last looked up, of all accounts; 0 when there is none',
  unit: 's',
});
const clockOffset = gauge({
  name: 'inventory.ledger.clock.offset',
  description: "How far the replica's clock is ahead of MongoDB's; negative behind it",
  unit: 's',
});
const verifyProblems = gauge({
  name: 'inventory.ledger.verify.problems',
  description: 'Problems found by the last verification of any process; absent before the first',
});
const verifyAge = gauge({
  name: 'inventory.ledger.verify.age',
  description: 'Time since a verification finished; absent before the first',
  unit: 's',
});
const verifySpeed = gauge({
  name: 'inventory.ledger.verify.speed',
  description: 'Entries a second of the running verification, or of the last one',
});
const verifyDuration = histogram({
  name: 'inventory.ledger.verify.duration',
  description: 'Verifications by this process, by result',
  unit: 's',
  labels: { result: ['sound', 'problems', 'failed'] },
  buckets: [0.1, 1, 10, 60, 300, 900, 3600, 14400],
});

export function countEntries(entries: readonly Entry[]): void {
  for (const { kind, command, asset, change, refusal } of entries) {
    if (refusal) refusals.add(1, { command, code: refusal.code });
    else moved.add(movedAmount(change), { kind, asset });
  }
}

export function countConflict(): void {
  conflicts.add(1);
}

export function countDuplicates(commands: number): void {
  if (commands > 0) repetitions.add(commands);
}

export function recordBatch(commands: number): void {
  batchSize.record(commands);
}

export function recordCommit(durationMs: number): void {
  commitDuration.record(durationMs / 1_000);
}

export interface LedgerGauges {
  readonly accountsCached: () => number;
  readonly accountsQuarantined: () => number;
  readonly accountsBehind: () => number;
  readonly holds: () => OpenHolds;
  readonly now: () => number;
  readonly clockOffsetMs: () => number | null;
}

export interface OpenHolds {
  readonly open: number;
  /** When the oldest was made; null when none is known. */
  readonly oldestAtMs: number | null;
}

/** What is read when metrics are collected. */
export function observeLedger(gauges: LedgerGauges): void {
  const { accountsCached, accountsQuarantined, accountsBehind, holds, now, clockOffsetMs } = gauges;
  clockOffset.observe((observe) => {
    const offsetMs = clockOffsetMs();
    if (offsetMs !== null) observe(offsetMs / 1_000);
  });
  cachedAccounts.observe((observe) => observe(accountsCached()));
  quarantinedAccounts.observe((observe) => observe(accountsQuarantined()));
  behindAccounts.observe((observe) => observe(accountsBehind()));
  openHolds.observe((observe) => observe(holds().open));
  oldestHoldAge.observe((observe) => {
    const { oldestAtMs } = holds();
    observe(oldestAtMs === null ? 0 : Math.max(0, now() - oldestAtMs) / 1_000);
  });
}

/** The last verification of any process, and the running one. */
export interface VerificationState {
  readonly problems: number;
  readonly finishedAtMs: number;
  readonly entriesPerSecond: number;
}

/** What is read of verifications when metrics are collected; null before the first. */
export function observeVerification(
  state: () => VerificationState | null,
  now: () => number,
): void {
  verifyProblems.observe((observe) => {
    const last = state();
    if (last) observe(last.problems);
  });
  verifyAge.observe((observe) => {
    const last = state();
    if (last) observe(Math.max(0, now() - last.finishedAtMs) / 1_000);
  });
  verifySpeed.observe((observe) => {
    const last = state();
    if (last) observe(last.entriesPerSecond);
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

/** What arrives in the places it moves to; what an adjustment takes away leaves them all. */
function movedAmount({ available, held, consumed, expired, issued }: Balances): number {
  const places = [available, held, consumed, expired];
  const arriving = places.reduce((sum, amount) => sum + Math.max(0, amount), 0);
  return arriving > 0 ? arriving : 0 - Math.min(0, issued);
}
