import type { RevisionId } from '@inventory/contracts/ids';
import { readStoreTime } from '@inventory/mongo/connect';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import { createSharedReads } from '@inventory/mongo/shared-commands';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { createLeases, type Lease, ownedBy } from '@inventory/work/lease';
import type { Collection, Document, UpdateFilter } from 'mongodb';
import { mintedAtMs } from '../domain/change-chain.ts';
import type { Observation } from '../domain/observation.ts';
import type { DecidedScan } from '../domain/scan.ts';
import { documents, type ScopeDocument } from './collections.ts';

/** The right to change one inventory, with its state when the lease was acquired. */
export interface ScopeLease extends Lease {
  readonly scopeKey: string;
  readonly head: Observation | null;
  /** It grows with each erasure; 0 before the first. */
  readonly epoch: number;
  readonly erasedAtMs: number | null;
  /** The last saved scan, where its own document may not have its result. */
  readonly unsettled: DecidedScan | null;
}

/** What moves with one write: the head, and the scan's result. */
export interface HeadMove {
  readonly head: Observation;
  readonly decided: DecidedScan;
  readonly pruneAtMs: number;
}

export interface LatestObservation {
  readonly head: Observation;
  readonly changed: boolean;
  readonly previousRevisionId: RevisionId | null;
}

/** Few enough that their pruning ends long before an idle cursor expires. */
const prunableBatch = 100;
const headsPerCommand = 100;

export function createScopeStore(
  collection: Collection<ScopeDocument>,
  leaseMs: number,
  logger: Logger,
) {
  const leases = createLeases(collection, leaseMs, 'kept');

  /** Every write of a lease's holder: it changes nothing once another one was given. */
  async function writeUnder(
    lease: Lease,
    update: UpdateFilter<ScopeDocument> | Document[],
  ): Promise<boolean> {
    return (await collection.updateOne(ownedBy(lease), update)).matchedCount === 1;
  }

  return {
    /** The lease under a name of its own, or null while it is held. */
    async acquireLease(scopeKey: string, owner: string): Promise<ScopeLease | null> {
      const lease = { id: scopeKey, owner };
      const document = await leases.acquire(lease);
      return document && leaseOf(document, lease);
    },

    /**
     * The lease, held or not: the former holder's writes fail from here on. Of a corrupt document
     * nothing but the lease.
     */
    async seizeLease(scopeKey: string, owner: string): Promise<ScopeLease> {
      const lease = { id: scopeKey, owner };
      const seized = await leases.seize(lease);
      const [read] = readEach([seized], (document) => leaseOf(document, lease), logger);
      const epoch = Number(seized.epoch) || 0;
      return read ?? { ...lease, scopeKey, head: null, epoch, erasedAtMs: null, unsettled: null };
    },

    /** False when it is lost. */
    renewLease: (lease: Lease) => leases.renew(lease),

    /** Marks the last result as copied to its scan's document. */
    markResultSettled: (lease: ScopeLease) =>
      writeUnder(lease, { $set: { 'lastResult.settled': true } }),

    releaseLease: (lease: ScopeLease) => writeUnder(lease, { $unset: { lease: '' } }),

    /** The one write that changes what Current reads, and releases the lease; false when it is lost. */
    async moveHead(lease: ScopeLease, move: HeadMove): Promise<boolean> {
      return writeUnder(lease, {
        $set: {
          head: move.head,
          lastResult: { ...move.decided, settled: false },
        },
        $unset: { lease: '' },
        $min: {
          pruneAtMs: move.pruneAtMs,
          knownSinceMs: mintedAtMs(move.head.revision.revisionId),
        },
      });
    },

    /** The same head in another form; false when the lease is lost. */
    replaceHead: (lease: ScopeLease, head: Observation) => writeUnder(lease, { $set: { head } }),

    /** Removes the head; nothing is readable through it from here on. */
    dropHead: (lease: ScopeLease) => writeUnder(lease, { $unset: { head: '' } }),

    /**
     * Begins the next epoch, without a head; null when the lease is lost. It is no less than the time,
     * so that it also grows where the inventory was forgotten.
     */
    async eraseScope(lease: ScopeLease, nowMs: number): Promise<ScopeLease | null> {
      const epoch = Math.max(lease.epoch + 1, nowMs);
      const isErased = await writeUnder(lease, [
        { $set: { epoch, erasedAt: '$$NOW', pruneAtMs: nowMs } },
        { $unset: 'head' },
      ]);
      return isErased ? { ...lease, head: null, epoch, erasedAtMs: nowMs } : null;
    },

    /** Removes what was saved last; false when the lease is lost. */
    forgetResult: (lease: ScopeLease) => writeUnder(lease, { $unset: { lastResult: '' } }),

    schedulePrune: (lease: ScopeLease, pruneAtMs: number) =>
      writeUnder(lease, { $set: { pruneAtMs } }),

    /**
     * Deletes the document of an inventory without any data; false when the lease is lost, and while its
     * epoch is remembered. No machine's clock ends that: a scan that began before would be saved.
     */
    async deleteScope(lease: ScopeLease, erasedKeptMs: number): Promise<boolean> {
      const keptSince = dateOf((await readStoreTime(collection.db)) - erasedKeptMs);
      const isForgotten = { erasedAt: { $not: { $gt: keptSince } } };
      const deleted = await collection.deleteOne({ ...ownedBy(lease), ...isForgotten });
      return deleted.deletedCount === 1;
    },

    /** Schedules the pruning of an inventory, whether or not its lease is held. */
    async requestPrune(scopeKey: string, pruneAtMs: number): Promise<void> {
      await collection.updateOne({ _id: scopeKey }, { $min: { pruneAtMs } });
    },

    ...scopeReads(collection),

    /** Every inventory that is due to be pruned, longest due first. */
    async *findPrunableScopes(nowMs: number): AsyncGenerator<string> {
      const due = collection
        .find({ pruneAtMs: { $lte: nowMs } })
        .project<{ _id: string }>({ _id: 1 })
        .sort({ pruneAtMs: 1 })
        .batchSize(prunableBatch);
      for await (const { _id } of due) yield _id;
    },
  };
}

function scopeReads(collection: Collection<ScopeDocument>) {
  const readKnownHead = headReads(collection);
  const epochs = createSharedReads(collection, headsPerCommand, { projection: { epoch: 1 } });
  return {
    async readHead(scopeKey: string): Promise<Observation | null> {
      return (await readKnownHead(scopeKey))?.head ?? null;
    },

    /** The present epoch of an inventory, known or not. */
    async readEpoch(scopeKey: string): Promise<number> {
      const stored = await epochs.add(scopeKey);
      return (stored && parseDocument(documents.scopeEpoch, stored).epoch) ?? 0;
    },

    /** The head, and since when revisions of the inventory are known; null without a head. */
    readKnownHead,
    /** The head, and where its scan is the one that changed the revision, the one before. */
    async readLatest(scopeKey: string): Promise<LatestObservation | null> {
      const projection = { head: 1, lastResult: 1 };
      const stored = await collection.findOne({ _id: scopeKey }, { projection });
      const document = stored && parseDocument(documents.scope, stored);
      if (!document?.head) return null;
      const { head } = document;
      const result = document.lastResult?.result;
      const changed =
        result?.result === 'committed' &&
        result.observationId === head.observationId &&
        result.changed;
      return { head, changed, previousRevisionId: changed ? result.previousRevisionId : null };
    },
  };
}

/** Reads that come together are one command; a head that is corrupt fails the reads of it alone. */
function headReads(collection: Collection<ScopeDocument>) {
  const projection = { head: 1, knownSinceMs: 1 };
  const stored = createSharedReads(collection, headsPerCommand, { projection });
  return async (scopeKey: string) => {
    const document = await stored.add(scopeKey);
    if (document === null) return null;
    const { head, knownSinceMs } = parseDocument(documents.scopeHead, document);
    if (!head) return null;
    return { head, knownSinceMs: knownSinceMs ?? mintedAtMs(head.revision.revisionId) };
  };
}

function leaseOf(stored: ScopeDocument, lease: Lease): ScopeLease {
  const document = parseDocument(documents.scope, stored);
  const { lastResult } = document;
  return {
    ...lease,
    scopeKey: document._id,
    head: document.head ?? null,
    epoch: document.epoch ?? 0,
    erasedAtMs: document.erasedAt?.getTime() ?? null,
    unsettled:
      lastResult && !lastResult.settled
        ? { scanId: lastResult.scanId, refreshId: lastResult.refreshId, result: lastResult.result }
        : null,
  };
}
