import { Refused } from '@inventory/http/refused';
import { LeaseLost } from '@inventory/runtime/hold-lease';
import { agedBy } from '../domain/observation.ts';
import { settleLastResult } from '../scans/decide-scan.ts';
import type { Scanning } from '../scans/open-scanning.ts';
import { pruneUnderLease } from './prune-inventory.ts';

/**
 * Makes everything that is saved of an inventory older, and deletes what has expired by that. When the
 * head was verified after it; null where the head itself has expired. Throws
 * `inventory_revision_not_found`, and `concurrent_change` while a scan is being saved.
 */
export async function ageInventory(
  scanning: Scanning,
  scopeKey: string,
  byMs: number,
): Promise<number | null> {
  const { scopes, observations, changes, identifiers, clock } = scanning;
  const notFound = new Refused({ code: 'inventory_revision_not_found' });
  if ((await scopes.readHead(scopeKey)) === null) throw notFound;
  const lease = await scopes.acquireLease(scopeKey, identifiers.uuidV7());
  if (lease === null) throw new Refused({ code: 'concurrent_change' });
  try {
    if (lease.head === null) throw notFound;
    await settleLastResult(scanning, lease);
    const head = agedBy(lease.head, byMs);
    if (!(await scopes.replaceHead(lease, head))) throw new LeaseLost();
    await observations.ageSuperseded(scopeKey, byMs);
    await changes.ageSuperseded(scopeKey, byMs);
    await pruneUnderLease(scanning, { ...lease, head }, clock.now());
  } finally {
    await scopes.releaseLease(lease);
  }
  return (await scopes.readHead(scopeKey))?.scanWindow.completedAtMs ?? null;
}
