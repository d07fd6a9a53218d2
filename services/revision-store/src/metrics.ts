import { metrics } from '@opentelemetry/api';

const meter = metrics.getMeter('@inventory/revision-store');

const assemblyDuration = meter.createHistogram('inventory.assembly.duration', {
  description: 'Time one try to assemble a scan took',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] },
});
const scans = meter.createCounter('inventory.scans', {
  description: 'Scans by how they were decided',
});
const pages = meter.createCounter('inventory.current.pages', {
  description: 'Pages of saved inventories that were served',
});
const pageBytes = meter.createCounter('inventory.current.bytes', {
  description: 'Bytes of served pages before any compression',
  unit: 'By',
});
const stagedBytes = meter.createCounter('inventory.staged.bytes', {
  description: 'Bytes of chunks that were staged, and of those that were known or refused',
  unit: 'By',
});
const pruned = meter.createCounter('inventory.pruned', {
  description: 'What was deleted because nothing can need it any more',
});

/** One try to assemble a scan ended. */
export function recordAssembly(
  durationS: number,
  end: { readonly end: string; readonly why?: string },
): void {
  assemblyDuration.record(durationS, { end: end.why ?? end.end });
}

/** A scan was decided: `committed`, or the reason it was rejected for. */
export function countScan(decision: string): void {
  scans.add(1, { decision });
}

export function countPage(bytes: number): void {
  pages.add(1);
  pageBytes.add(bytes);
}

export function countStagedBytes(bytes: number, result: string): void {
  stagedBytes.add(bytes, { result });
}

export function countPruned(
  kind: 'chunks' | 'scans' | 'blocks' | 'observations' | 'heads',
  count: number,
): void {
  if (count > 0) pruned.add(count, { kind });
}
