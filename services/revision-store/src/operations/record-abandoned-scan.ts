import type { RefreshId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import { currentTrace } from '@inventory/runtime/tracing';
import type { DecidedScan } from '../domain/scan.ts';
import { countScan } from '../metrics.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import type { ScopeStore } from '../storage/scope-store.ts';
import { outcomeMessage } from './outcome-message.ts';

export interface AbandonedScanRecording {
  readonly scans: Pick<ScanStore, 'find' | 'receiveDecided' | 'decide'>;
  readonly scopes: Pick<ScopeStore, 'requestPrune'>;
  readonly publish: MessageBus['publish'];
  readonly clock: Clock;
}

/**
 * Abandons a scan unless its commit has begun: then that commit's outcome follows and this command
 * has no effect. Without a record it leaves one, so that a later `completed` finds it decided.
 *
 * The steps are durable one by one; a crash after any of them is healed by the command's
 * redelivery, which finds what was done and goes on.
 */
export async function recordAbandonedScan(
  { scans, scopes, publish, clock }: AbandonedScanRecording,
  scan: { readonly scanId: string; readonly refreshId: RefreshId | null },
): Promise<void> {
  const result = { result: 'rejected', reason: 'abandoned' } as const;
  const abandoned: DecidedScan = { ...scan, result };
  let known = await scans.find(scan.scanId);
  if (known.state === 'unknown') {
    if (await scans.receiveDecided(abandoned, currentTrace(), clock.now())) {
      countScan('abandoned');
      return publish([outcomeMessage(abandoned)]);
    }
    known = await scans.find(scan.scanId);
  }
  if (known.decided) return publish([outcomeMessage(known.decided)]);

  // A worker may have written blocks that nothing will refer to: asked for before the decision,
  // because after a crash in between nobody would know.
  if (known.wasClaimed && known.scopeKey !== null) {
    await scopes.requestPrune(known.scopeKey, clock.now());
  }
  const decision = { scanId: scan.scanId, fact: 'abandoned', result, nowMs: clock.now() } as const;
  if (await scans.decide(decision, [])) countScan('abandoned');
  const { decided } = await scans.find(scan.scanId);
  if (decided) await publish([outcomeMessage(decided)]);
}
