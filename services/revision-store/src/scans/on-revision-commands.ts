import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { ScanIds } from '@inventory/contracts/messages/revision';
import type { Handlers } from '@inventory/messaging/dispatch';
import { currentTrace } from '@inventory/runtime/tracing';
import { windowAtReceipt } from '../domain/observation.ts';
import type { CompletedScan, DecidedScan } from '../domain/scan.ts';
import { countScan } from '../metrics.ts';
import type { RequestedLease } from '../storage/waiting-scans.ts';
import { requestLease, tryRelease } from './assemble-scan.ts';
import type { Scanning } from './open-scanning.ts';
import { outcomeMessage } from './outcome-message.ts';
import type { Assemblies } from './start-assemblies.ts';

export function onRevisionCommands(scanning: Scanning, assemblies: Assemblies): Handlers {
  return {
    'revision.completed.v1': ({ body: { accountId: _, ...scan } }) =>
      recordCompletedScan(scanning, assemblies, scan),
    'revision.abandoned.v1': ({ body }) => recordAbandonedScan(scanning, body),
  };
}

const notDecided = { decided: null };

/**
 * Records a completed scan and starts its assembly at once when a slot is free, with the lease of its
 * inventory, which is requested beside: a crash before the scan is recorded leaves a lease that expires.
 * A duplicate changes nothing: the outcome of a decided scan is published again.
 */
async function recordCompletedScan(
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

/**
 * Abandons a scan unless its commit has begun: then the commit's outcome follows and this command
 * has no effect. A scan without a record gets one, so that a later `completed` finds it decided.
 *
 * Each step is durable. After a crash the command is redelivered and resumes after the last step.
 */
async function recordAbandonedScan(
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
