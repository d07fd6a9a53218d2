import type { RejectionReason } from '@inventory/contracts/messages/revision';
import { counter, gauge, histogram } from '@inventory/runtime/instruments';
import type { StagingResult } from './storage/chunk-store.ts';

const assemblyEnds = [
  'decided',
  'inventory_busy',
  'pages_missing',
  'interrupted',
  'store_failed',
  'fault',
] as const;
const assemblyDuration = histogram({
  name: 'inventory.assembly.duration',
  description: 'Duration of one try to assemble a scan, by result',
  unit: 's',
  labels: { end: assemblyEnds },
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
});
const waitingScans = gauge({
  name: 'inventory.assembly.waiting',
  description:
    'Received scans without a decision; at most 10,000 are counted; every replica reports the same value',
});
const scanDecisions = [
  'committed',
  'abandoned',
  'missing_pages',
  'invalid_pages',
] as const satisfies readonly ('committed' | RejectionReason)[];
const scans = counter({
  name: 'inventory.scans',
  description: 'Decided scans, by decision',
  labels: { decision: scanDecisions },
});
const pages = counter({
  name: 'inventory.current.pages',
  description: 'Served pages of saved inventories',
});
const pageBytes = counter({
  name: 'inventory.current.bytes',
  description: 'Bytes of served pages before any compression',
  unit: 'By',
});
const stagedBytes = counter({
  name: 'inventory.staged.bytes',
  description: 'Bytes of received chunks, by result',
  unit: 'By',
  labels: { result: ['staged', 'known', 'conflict'] },
});
const prunedKinds = ['chunks', 'scans', 'blocks', 'observations', 'heads', 'changes'] as const;
const pruned = counter({
  name: 'inventory.pruned',
  description: 'Documents deleted by pruning, by kind',
  labels: { kind: prunedKinds },
});

/** One try to assemble a scan ended. */
export function recordAssembly(
  durationS: number,
  end: { readonly result: 'decided' } | { readonly why: (typeof assemblyEnds)[number] },
): void {
  assemblyDuration.record(durationS, { end: 'why' in end ? end.why : end.result });
}

/** A scan was decided: `committed`, or the reason it was rejected for. */
export function countScan(decision: (typeof scanDecisions)[number]): void {
  scans.add(1, { decision });
}

export function countPage(bytes: number): void {
  pages.add(1);
  pageBytes.add(bytes);
}

export function countStagedBytes(bytes: number, result: StagingResult['result']): void {
  stagedBytes.add(bytes, { result });
}

export function countPruned(kind: (typeof prunedKinds)[number], count: number): void {
  if (count > 0) pruned.add(count, { kind });
}

/** Reports the waiting scans once they were counted. */
export function observeWaitingScans(latest: () => number | null): void {
  waitingScans.observe((observe) => {
    const waiting = latest();
    if (waiting !== null) observe(waiting);
  });
}
