import type { Logger } from '@inventory/runtime/logger';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { pendingIn } from '@inventory/work/work-field';
import { createWorkQueue } from '@inventory/work/work-queue';
import type { Collection } from 'mongodb';
import type { CompletedScan } from '../domain/scan.ts';
import { documents, type ScanDocument } from './collections.ts';
import type { ScopeLease } from './scope-store.ts';

/** A completed scan that is not decided. */
export interface WaitingScan {
  readonly scan: CompletedScan;
  readonly scopeKey: string;
  readonly receivedAtMs: number;
  readonly trace: TraceCarrier;
  /** Of its inventory, requested as the scan was received; absent where it is claimed of the queue. */
  readonly leasing?: Promise<RequestedLease>;
}

export interface RequestedLease {
  /** Null while another worker holds it. */
  readonly lease: ScopeLease | null;
  readonly sentMs: number;
}

/** A scan that a worker holds. */
export interface ScanToAssemble extends WaitingScan {
  /** Number of claims that ended in a crash or a fault, this one included. */
  readonly tries: number;
  /** An earlier claim may have left blocks. */
  readonly wasClaimed: boolean;
}

const scanSizes = ['small', 'large'] as const;
export type AssemblySize = (typeof scanSizes)[number];

const smallScanPagesMax = 8;
const countMax = 10_000;

export const sizeOf = (pageCount: number): AssemblySize =>
  pageCount <= smallScanPagesMax ? 'small' : 'large';

export type WaitingScans = ReturnType<typeof createWaitingScans>;

/**
 * Scans that wait to be assembled. A claim hides a scan; the right to change the inventory is the
 * inventory's lease.
 */
export function createWaitingScans(
  collection: Collection<ScanDocument>,
  waitMaxMs: number,
  logger: Logger,
) {
  const queueOf = (queue: AssemblySize) =>
    createWorkQueue({
      collection,
      documents: documents.waitingScan,
      queue,
      waitMaxMs,
      toItem: (document): WaitingScan => ({
        scan: document.manifest,
        scopeKey: document.scope,
        receivedAtMs: document.receivedAtMs,
        trace: document.trace,
      }),
      completed: 'kept',
      logger,
    });
  return {
    queues: { small: queueOf('small'), large: queueOf('large') },
    /** Counted no further than 10,000. */
    count: (): Promise<number> =>
      collection.countDocuments(pendingIn(scanSizes), { limit: countMax }),
  };
}
