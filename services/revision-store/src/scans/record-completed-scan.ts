import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { MessageBus } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import { currentTrace } from '@inventory/runtime/tracing';
import { windowAtReceipt } from '../domain/observation.ts';
import type { CompletedScan } from '../domain/scan.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import type { RequestedLease } from '../storage/waiting-scans.ts';
import { type AssembleScanDeps, release, requestLease } from './assemble-scan.ts';
import { outcomeMessage } from './decide-scan.ts';
import type { Assemblies } from './start-assemblies.ts';

export interface RecordCompletedScanDeps
  extends Pick<AssembleScanDeps, 'scopes' | 'identifiers' | 'logger'> {
  readonly scans: Pick<ScanStore, 'insertScan' | 'findScan'>;
  readonly publish: MessageBus['publish'];
  readonly assemblies: Pick<Assemblies, 'reserve' | 'wake'>;
  readonly clock: Clock;
}

const notDecided = { decided: null };

/**
 * Records a completed scan and starts its assembly at once when a place is free, with the lease of its
 * inventory, which is requested beside: a crash before the scan is recorded leaves a lease that expires.
 * A duplicate changes nothing: the outcome of a decided scan is published again.
 */
export async function recordCompletedScan(
  deps: RecordCompletedScanDeps,
  completed: CompletedScan,
): Promise<void> {
  const { scans, publish, assemblies, clock } = deps;
  const place = assemblies.reserve(completed.pages.length);
  const nowMs = clock.now();
  const scan = { ...completed, window: windowAtReceipt(completed.window, nowMs) };
  const received = { scan, trace: currentTrace(), nowMs };
  const scopeKey = inventoryKeyText(scan.scope);
  const leasing = place ? requestLease(deps, scopeKey) : undefined;
  // Its failure is that of the assembly, which is tried again.
  leasing?.catch(() => {});
  let isNew = false;
  try {
    isNew = await scans.insertScan(received, place?.claim);
  } finally {
    if (!isNew) {
      place?.release();
      await releaseRequested(deps, leasing);
    }
  }
  if (isNew && place && leasing) {
    const { trace } = received;
    return place.begin(scan.scanId, { scan, scopeKey, receivedAtMs: nowMs, trace, leasing });
  }
  const { decided } = isNew ? notDecided : await scans.findScan(scan.scanId);
  if (decided) await publish([outcomeMessage(decided, scopeKey)]);
  else assemblies.wake();
}

async function releaseRequested(
  deps: RecordCompletedScanDeps,
  leasing: Promise<RequestedLease> | undefined,
): Promise<void> {
  const { lease = null } = (await leasing?.catch(() => undefined)) ?? {};
  if (lease === null) return;
  // The document may exist by this request alone.
  if (lease.head === null) await deps.scopes.schedulePrune(lease, deps.clock.now());
  await release(deps, lease);
}
