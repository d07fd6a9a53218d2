import { parseDocument, readFirst } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import type { Collection } from 'mongodb';
import type { CompletedScan } from '../domain/scan.ts';
import { documents, type ScanDocument } from './collections.ts';
import { fromScanWork } from './mapping.ts';

/** A scan that a worker holds. */
export interface ClaimedScan {
  readonly scan: CompletedScan;
  readonly scopeKey: string;
  readonly receivedAtMs: number;
  readonly trace: TraceCarrier;
  /** Number of claims, this one included. */
  readonly claims: number;
  /** Number of claims without an orderly end, this one included. */
  readonly tries: number;
}

/** A scan that waits for a worker, with what its claim must still find. */
export interface DueScan extends ClaimedScan {
  readonly dueAt: Date;
}

const countMax = 10_000;

export type ScanQueue = ReturnType<typeof createScanQueue>;

/**
 * Scans that wait to be assembled. A claim hides a scan until it expires; the right to change the
 * inventory is the inventory's lease.
 */
export function createScanQueue(collection: Collection<ScanDocument>, logger: Logger) {
  return {
    /** Waiting scans of at least `pagesMin` and at most `pagesMax` pages, longest due first. */
    async findDueScans(query: {
      nowMs: number;
      pagesMin: number;
      pagesMax: number;
      limit: number;
    }): Promise<DueScan[]> {
      const due = collection
        .find({
          dueAt: { $lte: dateOf(query.nowMs) },
          'work.pageCount': { $gte: query.pagesMin, $lte: query.pagesMax },
        })
        .sort({ dueAt: 1 });
      return readFirst(due, query.limit, fromDocument, logger);
    },

    /** Received ones that are not decided, counted no further than {@link countMax}. */
    countWaitingScans(): Promise<number> {
      return collection.countDocuments({ dueAt: { $exists: true } }, { limit: countMax });
    },

    /** Claims a scan until then; false when another worker claimed it or it is decided. */
    async claimScan(due: DueScan, untilMs: number): Promise<boolean> {
      const claimed = await collection.updateOne(
        { _id: due.scan.scanId, dueAt: due.dueAt },
        { $set: { dueAt: dateOf(untilMs) }, $inc: { claims: 1 } },
      );
      return claimed.matchedCount === 1;
    },

    /** Keeps a claimed scan from other workers until then. */
    async extendClaim(scanId: string, untilMs: number): Promise<void> {
      await collection.updateOne(
        { _id: scanId, dueAt: { $exists: true } },
        { $set: { dueAt: dateOf(untilMs) } },
      );
    },

    /** Releases a claimed scan; an orderly end does not count as a try. */
    async postponeScan(scanId: string, dueAtMs: number, orderly: boolean): Promise<void> {
      await collection.updateOne(
        { _id: scanId, dueAt: { $exists: true } },
        { $set: { dueAt: dateOf(dueAtMs) }, ...(orderly ? { $inc: { orderlyEnds: 1 } } : {}) },
      );
    },
  };
}

function fromDocument(stored: ScanDocument): DueScan[] {
  const document = parseDocument(documents.scan, stored);
  const { work, dueAt, scope, claims = 0, orderlyEnds = 0 } = document;
  if (!work || !dueAt || scope === undefined) return [];
  return [
    {
      scan: fromScanWork(document, work),
      scopeKey: scope,
      receivedAtMs: document.receivedAt.getTime(),
      trace: document.trace,
      claims: claims + 1,
      tries: claims - orderlyEnds + 1,
      dueAt,
    },
  ];
}
