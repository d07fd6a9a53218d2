import type { ScanIds } from '@inventory/contracts/messages/revision';
import { currentTrace } from '@inventory/runtime/tracing';
import type { DecidedScan } from '../domain/scan.ts';
import { countScan } from '../metrics.ts';
import type { Scanning } from './open-scanning.ts';
import { outcomeMessage } from './outcome-message.ts';

/**
 * Abandons a scan unless its commit has begun: then the commit's outcome follows and this command
 * has no effect. A scan without a record gets one, so that a later `completed` finds it decided.
 *
 * Each step is durable. After a crash the command is redelivered and resumes after the last step.
 */
export async function recordAbandonedScan(
  { scans, scopes, publish, clock }: Scanning,
  scan: ScanIds,
): Promise<void> {
  const result = { result: 'rejected', reason: 'abandoned' } as const;
  const abandoned: DecidedScan = { ...scan, result };
  let known = await scans.findScan(scan.scanId);
  if (known.state === 'unknown') {
    if (await scans.insertDecidedScan(abandoned, currentTrace(), clock.now())) {
      countScan('abandoned');
      return publish([outcomeMessage(abandoned, null)]);
    }
    known = await scans.findScan(scan.scanId);
  }
  if (known.decided) return publish([outcomeMessage(known.decided, null)]);

  // A worker may have written blocks that nothing will refer to. Pruning is requested before the
  // decision, because a crash in between would lose the request.
  if (known.wasClaimed && known.scopeKey !== null) {
    await scopes.requestPrune(known.scopeKey, clock.now());
  }
  const decision = { scanId: scan.scanId, fact: 'abandoned', result, nowMs: clock.now() } as const;
  if (await scans.decideScan(decision)) countScan('abandoned');
  const { decided } = await scans.findScan(scan.scanId);
  if (decided) await publish([outcomeMessage(decided, null)]);
}
