import { LeaseLost } from '@inventory/runtime/hold-lease';
import { settleLastResult } from '../scans/decide-scan.ts';
import type { Scanning } from '../scans/open-scanning.ts';
import { pruneUnderLease } from './prune-inventory.ts';

/**
 * Deletes all data of one inventory. The lease is seized, so that the commit of a running assembly
 * fails; repeated, it finds its pages of an older epoch, and is rejected.
 *
 * The first write removes the head and begins the next epoch: nothing that was read or written under
 * an older one is saved or readable from there on. Deleting it is pruning; a crash in between leaves
 * it to the pruner, which is due at once, or to a repeated erasure.
 */
export async function eraseSavedInventory(scanning: Scanning, scopeKey: string): Promise<void> {
  const { scopes, clock, identifiers } = scanning;
  const nowMs = clock.now();
  const lease = await scopes.seizeLease(scopeKey, identifiers.uuidV7());
  try {
    const erased = await scopes.eraseScope(lease, nowMs);
    if (erased === null) throw new LeaseLost();
    await pruneUnderLease(scanning, erased, nowMs);
    await settleLastResult(scanning, erased);
    if (!(await scopes.forgetResult(erased))) throw new LeaseLost();
  } finally {
    await scopes.releaseLease(lease);
  }
}
