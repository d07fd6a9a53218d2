import { metrics } from '@opentelemetry/api';
import type { Balances } from './domain/balances.ts';
import type { Entry } from './domain/entry.ts';

const meter = metrics.getMeter('@inventory/billing-ledger');

const moved = meter.createCounter('inventory.ledger.moved', {
  description: 'Credits or units moved by journaled entries, by kind of entry and asset',
});
const refusals = meter.createCounter('inventory.ledger.refusals', {
  description: 'Commands refused, by code',
});
const conflicts = meter.createCounter('inventory.ledger.command_conflicts', {
  description: 'Commands whose id was used before with other content',
});
const repetitions = meter.createCounter('inventory.ledger.repetitions', {
  description: 'Commands that were answered before and got their answer again',
});
const batchSize = meter.createHistogram('inventory.ledger.batch.commands', {
  description: 'Commands handed over at once',
  advice: { explicitBucketBoundaries: [1, 2, 5, 10, 25, 50, 100, 250, 500] },
});
const commitDuration = meter.createHistogram('inventory.ledger.commit.duration', {
  description: 'Time to make the commits of one round durable',
  unit: 's',
  advice: {
    explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  },
});

export function countEntries(entries: readonly Entry[]): void {
  for (const { kind, asset, change, refusal } of entries) {
    if (refusal) refusals.add(1, { code: refusal.code });
    else moved.add(movedAmount(change), { kind, asset });
  }
}

export function countConflict(): void {
  conflicts.add(1);
}

export function countRepetitions(commands: number): void {
  if (commands > 0) repetitions.add(commands);
}

export function recordBatch(commands: number): void {
  batchSize.record(commands);
}

export function recordCommit(durationMs: number): void {
  commitDuration.record(durationMs / 1000);
}

/** Reports how many accounts are kept in memory whenever metrics are read. */
export function observeCachedAccounts(size: () => number): void {
  const gauge = meter.createObservableGauge('inventory.ledger.accounts.cached', {
    description: 'Accounts whose state is kept in memory',
  });
  gauge.addCallback((result) => result.observe(size()));
}

/** What arrives in the places it moves to; what an adjustment takes away leaves them all. */
function movedAmount({ available, held, consumed, expired, issued }: Balances): number {
  const places = [available, held, consumed, expired];
  const arriving = places.reduce((sum, amount) => sum + Math.max(0, amount), 0);
  return arriving > 0 ? arriving : 0 - Math.min(0, issued);
}
