import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { currentTrace } from '@inventory/runtime/tracing';
import { windowAtReceipt } from '../domain/observation.ts';
import type { CompletedScan } from '../domain/scan.ts';
import type { RequestedLease } from '../storage/waiting-scans.ts';
import { requestLease, tryRelease } from './assemble-scan.ts';
import type { Scanning } from './open-scanning.ts';
import { outcomeMessage } from './outcome-message.ts';
import type { Assemblies } from './start-assemblies.ts';

const notDecided = { decided: null };

/**
 * Records a completed scan and starts its assembly at once when a slot is free, with the lease of
 * its inventory, which is requested beside: a crash before the scan is recorded leaves a lease that
 * expires. A duplicate changes nothing: the outcome of a decided scan is published again.
 */
export async function recordCompletedScan(
  scanning: Scanning,
  assemblies: Assemblies,
  completed: CompletedScan,
): Promise<void> {
  const { scans, publish, clock } = scanning;
  const slot = assemblies.reserve(completed.pages.length);
  const nowMs = clock.now();
  const scan = { ...completed, scanWindow: windowAtReceipt(completed.scanWindow, nowMs) };
  const received = { scan, trace: currentTrace(), nowMs };
  const scopeKey = inventoryKeyText(scan.scope);
  const leasing = slot ? requestLease(scanning, scopeKey) : undefined;
  // Its failure is that of the assembly, which is tried again.
  leasing?.catch(() => {});
  let isNew = false;
  try {
    isNew = await scans.insertScan(received, slot?.claim);
  } finally {
    if (!isNew) {
      slot?.release();
      await releaseRequested(scanning, leasing);
    }
  }
  if (isNew && slot && leasing) {
    const { trace } = received;
    return slot.begin(scan.scanId, { scan, scopeKey, receivedAtMs: nowMs, trace, leasing });
  }
  const { decided } = isNew ? notDecided : await scans.findScan(scan.scanId);
  if (decided) await publish([outcomeMessage(decided, scopeKey)]);
  else assemblies.wake();
}

async function releaseRequested(
  scanning: Scanning,
  leasing: Promise<RequestedLease> | undefined,
): Promise<void> {
  const { lease = null } = (await leasing?.catch(() => undefined)) ?? {};
  if (lease === null) return;
  // The document may exist by this request alone.
  if (lease.head === null) await scanning.scopes.schedulePrune(lease, scanning.clock.now());
  await tryRelease(scanning, lease);
}
