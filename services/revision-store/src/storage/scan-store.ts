import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { ScanResult } from '@inventory/contracts/messages/revision';
import { deleteInBatches } from '@inventory/mongo/many-documents';
import { parseDocument } from '@inventory/mongo/parse-document';
import { createSharedInserts } from '@inventory/mongo/shared-commands';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { claimedWork, type FirstClaim, newWork } from '@inventory/work/work-field';
import type { Collection, Filter } from 'mongodb';
import {
  type CompletedScan,
  type DecidedScan,
  type ScanFact,
  type ScanRecordState,
  stateAfter,
  statesBefore,
} from '../domain/scan.ts';
import { documents, type ScanDocument } from './collections.ts';
import { sizeOf } from './waiting-scans.ts';

export interface KnownScan {
  readonly state: ScanRecordState;
  readonly decided: DecidedScan | null;
  readonly scopeKey: string | null;
  /** A worker may have written blocks for it. */
  readonly wasClaimed: boolean;
}

/** A completed scan as received. */
export interface ReceivedScan {
  readonly scan: CompletedScan;
  readonly trace: TraceCarrier;
  readonly nowMs: number;
}

export interface ScanDecision {
  readonly scanId: string;
  readonly fact: ScanFact;
  readonly result: ScanResult;
  /** Where they are not, they are to be dropped after the decision. */
  readonly areChunksDropped?: boolean;
  readonly nowMs: number;
}

/** A manifest names up to 250 pages. */
const insertsPerCommand = 50;

/** The records of scans: each is decided once. */
export function createScanRecords(collection: Collection<ScanDocument>) {
  const inserts = createSharedInserts<ScanDocument>(collection, insertsPerCommand);
  const inStateBefore = (scanId: string, fact: ScanFact): Filter<ScanDocument> => ({
    _id: scanId,
    state: { $in: statesBefore(fact) as ScanDocument['state'][] },
  });

  return {
    /** Records a completed scan and its pending assembly; false when the scan has a record. */
    async insertScan({ scan, trace, nowMs }: ReceivedScan, claim?: FirstClaim): Promise<boolean> {
      const size = sizeOf(scan.pages.length);
      return inserts.add({
        _id: scan.scanId,
        state: 'received',
        refreshId: scan.refreshId,
        receivedAtMs: nowMs,
        trace,
        scope: inventoryKeyText(scan.scope),
        manifest: scan,
        work: claim ? claimedWork(claim, size) : newWork(nowMs, size),
      });
    },

    /** Records the decision of a scan that was never completed; false when it has a record. */
    async insertDecidedScan(
      scan: DecidedScan,
      trace: TraceCarrier,
      nowMs: number,
    ): Promise<boolean> {
      return inserts.add({
        _id: scan.scanId,
        state: 'rejected',
        refreshId: scan.refreshId,
        receivedAtMs: nowMs,
        trace,
        result: scan.result,
        decidedAtMs: nowMs,
        chunksDropAtMs: nowMs,
      });
    },

    /** Decides a scan if its state allows it. */
    async decideScan(decision: ScanDecision): Promise<boolean> {
      const { scanId, fact, result, areChunksDropped, nowMs } = decision;
      const decided = await collection.updateOne(inStateBefore(scanId, fact), {
        $set: {
          state: stateAfter(fact) as ScanDocument['state'],
          result,
          decidedAtMs: nowMs,
          ...(!areChunksDropped && { chunksDropAtMs: nowMs }),
        },
        $unset: { manifest: '', work: '', scope: '' },
      });
      return decided.matchedCount === 1;
    },

    /** From here on the scan cannot be abandoned; false when it was. */
    async beginCommit(scanId: string): Promise<boolean> {
      const begun = await collection.updateOne(inStateBefore(scanId, 'assembled'), {
        $set: { state: stateAfter('assembled') as ScanDocument['state'] },
      });
      return begun.matchedCount === 1;
    },

    async findScan(scanId: string): Promise<KnownScan> {
      const stored = await collection.findOne({ _id: scanId }, { projection: { manifest: 0 } });
      if (!stored) return { state: 'unknown', decided: null, scopeKey: null, wasClaimed: false };
      const document = parseDocument(documents.scan, stored);
      const { state, refreshId, result, scope = null, work } = document;
      const decided = result ? { scanId, refreshId, result } : null;
      return { state, decided, scopeKey: scope, wasClaimed: (work?.owner ?? null) !== null };
    },

    /** Decided scans with staged chunks. */
    async findUndroppedScans(limit: number): Promise<string[]> {
      const found = await collection
        .find({ chunksDropAtMs: { $exists: true } })
        .project<{ _id: string }>({ _id: 1 })
        .sort({ chunksDropAtMs: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },

    async markChunksDropped(scanId: string): Promise<void> {
      await collection.updateOne({ _id: scanId }, { $unset: { chunksDropAtMs: '' } });
    },

    /** Deletes the records of scans decided before then; returns how many. */
    deleteDecidedBefore: (beforeMs: number): Promise<number> =>
      deleteInBatches(collection, { decidedAtMs: { $lt: beforeMs } }),
  };
}
