import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { MessageBus } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import { currentTrace } from '@inventory/runtime/tracing';
import { windowAtReceipt } from '../domain/observation.ts';
import type { CompletedScan } from '../domain/scan.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import { outcomeMessage } from './decide-scan.ts';
import type { Assemblies } from './start-assemblies.ts';

export interface RecordCompletedScanDeps {
  readonly scans: Pick<ScanStore, 'insertScan' | 'findScan'>;
  readonly publish: MessageBus['publish'];
  readonly assemblies: Pick<Assemblies, 'reserve' | 'wake'>;
  readonly clock: Clock;
}

const notDecided = { decided: null };

/**
 * Records a completed scan and starts its assembly at once when a place is free. A
 * duplicate changes nothing: the outcome of a decided scan is published again.
 */
export async function recordCompletedScan(
  { scans, publish, assemblies, clock }: RecordCompletedScanDeps,
  completed: CompletedScan,
): Promise<void> {
  const place = assemblies.reserve(completed.pages.length);
  const nowMs = clock.now();
  const scan = { ...completed, window: windowAtReceipt(completed.window, nowMs) };
  const received = { scan, trace: currentTrace(), nowMs };
  let isNew = false;
  try {
    isNew = await scans.insertScan(received, place?.claim);
  } finally {
    if (!isNew) place?.release();
  }
  const scopeKey = inventoryKeyText(scan.scope);
  if (isNew && place) {
    const { trace } = received;
    return place.begin(scan.scanId, { scan, scopeKey, receivedAtMs: nowMs, trace });
  }
  const { decided } = isNew ? notDecided : await scans.findScan(scan.scanId);
  if (decided) await publish([outcomeMessage(decided, scopeKey)]);
  else assemblies.wake();
}
