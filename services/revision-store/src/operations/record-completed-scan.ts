import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { MessageBus } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import { currentTrace } from '@inventory/runtime/tracing';
import { windowAtReceipt } from '../domain/observation.ts';
import type { CompletedScan } from '../domain/scan.ts';
import type { ClaimedScan } from '../storage/scan-queue.ts';
import type { ReceivedScan, ScanStore } from '../storage/scan-store.ts';
import { outcomeMessage } from './outcome-message.ts';
import type { Assemblies } from './run-assemblies.ts';

export interface RecordCompletedScanDeps {
  readonly scans: Pick<ScanStore, 'insertScan' | 'findScan'>;
  readonly publish: MessageBus['publish'];
  readonly assemblies: Pick<Assemblies, 'reserve' | 'wake'>;
  readonly clock: Clock;
}

/**
 * Records a completed scan as a work item and starts its assembly at once when a slot is free. A
 * duplicate changes nothing: the outcome of a decided scan is published again.
 */
export async function recordCompletedScan(
  { scans, publish, assemblies, clock }: RecordCompletedScanDeps,
  completed: CompletedScan,
): Promise<void> {
  const slot = assemblies.reserve(completed.pages.length);
  const nowMs = clock.now();
  const scan = { ...completed, window: windowAtReceipt(completed.window, nowMs) };
  const received = { scan, trace: currentTrace(), nowMs };
  let isNew = false;
  try {
    isNew = await scans.insertScan({ ...received, claimedUntilMs: slot?.untilMs ?? null });
  } finally {
    if (!isNew) slot?.release();
  }
  if (isNew && slot) return slot.run(claimedAtOnce(received));
  const { decided } = isNew ? { decided: null } : await scans.findScan(scan.scanId);
  if (decided) await publish([outcomeMessage(decided)]);
  else assemblies.wake();
}

function claimedAtOnce({ scan, trace, nowMs }: ReceivedScan): ClaimedScan {
  const { scope } = scan;
  return {
    scan,
    scopeKey: inventoryKeyText(scope),
    receivedAtMs: nowMs,
    trace,
    claims: 1,
    tries: 1,
  };
}
