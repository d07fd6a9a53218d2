import { billingRefusalCodes } from '@inventory/contracts/refusal';
import { ledgerAssets } from '@inventory/contracts/vocabulary';
import { counter, histogram } from '@inventory/runtime/instruments';
import type { Balances } from '../accounts/balances.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { entryKinds } from '../accounts/movement.domain.ts';

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
  description: 'Duplicate commands, answered with the recorded outcome',
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

/** What arrives in the places it moves to; what an adjustment takes away leaves them all. */
function movedAmount({ available, held, consumed, expired, issued }: Balances): number {
  const places = [available, held, consumed, expired];
  const arriving = places.reduce((sum, amount) => sum + Math.max(0, amount), 0);
  return arriving > 0 ? arriving : 0 - Math.min(0, issued);
}
