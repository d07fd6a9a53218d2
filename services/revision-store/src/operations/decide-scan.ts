import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import type { DecidedScan, ScanFact, ScanResult } from '../domain/scan.ts';
import { countScan } from '../metrics.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import { outcomeMessage } from './outcome-message.ts';

export interface DecideScanDeps {
  readonly scans: Pick<ScanStore, 'decideScan' | 'findScan'>;
  readonly clock: Clock;
}

/**
 * Decides a scan; the same write stores its outcome. The first decision is final and is returned.
 */
export async function decideScan(
  { scans, clock }: DecideScanDeps,
  { scanId, refreshId, result }: DecidedScan,
  fact: ScanFact,
): Promise<ScanResult> {
  const outbox = [outcomeMessage({ scanId, refreshId, result })];
  if (await scans.decideScan({ scanId, fact, result, nowMs: clock.now() }, outbox)) {
    countScan(result.result === 'rejected' ? result.reason : 'committed');
    return result;
  }
  const { decided } = await scans.findScan(scanId);
  invariant(decided !== null, 'a scan that refuses a decision has been decided');
  return decided.result;
}
