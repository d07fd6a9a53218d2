import type { MessageBus } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import { currentTrace } from '@inventory/runtime/tracing';
import type { CompletedScan } from '../domain/scan.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import { outcomeMessage } from './outcome-message.ts';

export interface CompletedScanRecording {
  readonly scans: Pick<ScanStore, 'receive' | 'find'>;
  readonly publish: MessageBus['publish'];
  readonly wakeAssemblies: () => void;
  readonly clock: Clock;
}

/**
 * Makes a completed scan a work item. A scan that is known already changes nothing: decided, its
 * outcome is told again; undecided, it is on its way.
 */
export async function recordCompletedScan(
  { scans, publish, wakeAssemblies, clock }: CompletedScanRecording,
  scan: CompletedScan,
): Promise<void> {
  const isNew = await scans.receive(scan, currentTrace(), clock.now());
  const { decided } = isNew ? { decided: null } : await scans.find(scan.scanId);
  if (decided) await publish([outcomeMessage(decided)]);
  else wakeAssemblies();
}
