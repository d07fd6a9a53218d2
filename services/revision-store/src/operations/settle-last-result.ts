import type { Clock } from '@inventory/runtime/clock';
import type { DecidedScan } from '../domain/scan.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import type { ScopeLease, ScopeStore } from '../storage/scope-store.ts';
import { decideScan } from './decide-scan.ts';

export interface SettleLastResultDeps {
  readonly scans: Pick<ScanStore, 'decideScan' | 'findScan'>;
  readonly scopes: Pick<ScopeStore, 'markResultSettled'>;
  /** Sends the outcome that was just written into a scan's outbox; what fails is sent later. */
  readonly sendOutcome: (decided: DecidedScan) => Promise<void>;
  readonly clock: Clock;
}

/**
 * Copies the last result to the document of its scan, in case the worker crashed before it did.
 * Every holder of the inventory's lease runs this. Only records of decided scans expire, so a scan
 * without a record has its result already.
 */
export async function settleLastResult(
  deps: SettleLastResultDeps,
  lease: ScopeLease,
): Promise<void> {
  const { unsettled } = lease;
  if (unsettled === null) return;
  const { state } = await deps.scans.findScan(unsettled.scanId);
  if (state !== 'unknown') {
    const result = await decideScan(deps, unsettled, 'head_moved');
    await deps.sendOutcome({ ...unsettled, result });
  }
  await deps.scopes.markResultSettled(lease);
}
