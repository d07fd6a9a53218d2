import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { parseDocument } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import type { Observation } from '../domain/observation.ts';
import type { DecidedScan } from '../domain/scan.ts';
import { documents, type ScopeDocument } from './collections.ts';
import { fromObservationFields, toObservationFields } from './mapping.ts';

/** The right to change one inventory, with its state when the lease was acquired. */
export interface ScopeLease {
  readonly scopeKey: string;
  readonly epoch: number;
  /** Unique to this lease: an inventory that was deleted may reuse an epoch. */
  readonly token: string;
  readonly head: Observation | null;
  readonly erasedAtMs: number | null;
  /** The last saved scan, if its own document may not have its result yet. */
  readonly unsettled: DecidedScan | null;
}

export interface LeaseRequest {
  readonly scopeKey: string;
  readonly token: string;
  readonly nowMs: number;
  readonly untilMs: number;
}

/** What moves with one write: the head when there is a new one, and the scan's result. */
export interface HeadMove {
  readonly head: Observation | null;
  readonly decided: DecidedScan;
  readonly pruneAtMs: number;
}

/** Few enough that their pruning ends long before an idle cursor expires. */
const prunableBatch = 100;

export type ScopeStore = ReturnType<typeof createScopeStore>;

export function createScopeStore(collection: Collection<ScopeDocument>) {
  async function take(request: LeaseRequest, onlyIfFree: boolean): Promise<ScopeLease | null> {
    const { scopeKey, token, nowMs, untilMs } = request;
    const free = [{ lease: { $exists: false } }, { 'lease.until': { $lte: dateOf(nowMs) } }];
    try {
      await collection.updateOne(
        { _id: scopeKey, ...(onlyIfFree ? { $or: free } : {}) },
        { $inc: { epoch: 1 }, $set: { lease: { token, until: dateOf(untilMs) } } },
        { upsert: true },
      );
    } catch (error) {
      // The filter did not match and the upsert found the document: the lease is held.
      if (duplicateKeyOf(error) === null) throw error;
      return null;
    }
    const document = await collection.findOne({ _id: scopeKey, 'lease.token': token });
    return document && leaseOf(document, token);
  }

  /** Every write of a lease's holder: it changes nothing once a newer lease was given. */
  async function writeUnder(
    lease: ScopeLease,
    update: UpdateFilter<ScopeDocument>,
  ): Promise<boolean> {
    return (await collection.updateOne(heldBy(lease), update)).matchedCount === 1;
  }

  return {
    /** The lease, or null while it is held. */
    acquireLease: (request: LeaseRequest) => take(request, true),

    /** The lease, held or not: the new epoch makes the former holder's writes fail. */
    async seizeLease(request: LeaseRequest): Promise<ScopeLease | null> {
      // Two first leases of an inventory can collide in the upsert; the retry finds the document.
      return (await take(request, false)) ?? take(request, false);
    },

    /** Renews the lease until then; false when it is lost. */
    renewLease: (lease: ScopeLease, untilMs: number) =>
      writeUnder(lease, { $set: { 'lease.until': dateOf(untilMs) } }),

    /** Marks the last result as copied to its scan's document. */
    markResultSettled: (lease: ScopeLease) =>
      writeUnder(lease, { $set: { 'lastResult.settled': true } }),

    /** Releases the lease; `settled` marks the last result as copied in the same write. */
    releaseLease: (lease: ScopeLease, settled: boolean) =>
      writeUnder(lease, {
        $unset: { lease: '' },
        ...(settled ? { $set: { 'lastResult.settled': true } } : {}),
      }),

    /** The one write that changes what Current reads; false when the lease is lost. */
    async moveHead(lease: ScopeLease, move: HeadMove): Promise<boolean> {
      return writeUnder(lease, {
        $set: {
          ...(move.head ? { head: toObservationFields(move.head) } : {}),
          lastResult: { ...move.decided, settled: false },
        },
        $min: { pruneAt: dateOf(move.pruneAtMs) },
      });
    },

    /** Removes the head; nothing is readable through it from here on. */
    dropHead: (lease: ScopeLease) => writeUnder(lease, { $unset: { head: '' } }),

    eraseScope: (lease: ScopeLease, nowMs: number) =>
      writeUnder(lease, {
        $unset: { head: '' },
        $set: { erasedAt: dateOf(nowMs), pruneAt: dateOf(nowMs) },
      }),

    schedulePrune: (lease: ScopeLease, pruneAtMs: number) =>
      writeUnder(lease, { $set: { pruneAt: dateOf(pruneAtMs) } }),

    /** Deletes the document of an inventory without any data. */
    async deleteScope(lease: ScopeLease): Promise<void> {
      await collection.deleteOne(heldBy(lease));
    },

    /** Schedules the pruning of an inventory, whether or not its lease is held. */
    async requestPrune(scopeKey: string, pruneAtMs: number): Promise<void> {
      await collection.updateOne({ _id: scopeKey }, { $min: { pruneAt: dateOf(pruneAtMs) } });
    },

    async readHead(scopeKey: string): Promise<Observation | null> {
      const stored = await collection.findOne({ _id: scopeKey }, { projection: { head: 1 } });
      const head = stored && parseDocument(documents.scopeHead, stored).head;
      return head ? fromObservationFields(head) : null;
    },

    /** Every inventory that is due to be pruned, longest due first. */
    async *findPrunableScopes(nowMs: number): AsyncGenerator<string> {
      const due = collection
        .find({ pruneAt: { $lte: dateOf(nowMs) } })
        .project<{ _id: string }>({ _id: 1 })
        .sort({ pruneAt: 1 })
        .batchSize(prunableBatch);
      for await (const { _id } of due) yield _id;
    },
  };
}

/** Matches only while no newer lease was given. */
function heldBy({ scopeKey, epoch, token }: ScopeLease): Filter<ScopeDocument> {
  return { _id: scopeKey, epoch, 'lease.token': token };
}

function leaseOf(stored: ScopeDocument, token: string): ScopeLease {
  const document = parseDocument(documents.scope, stored);
  const { lastResult } = document;
  return {
    scopeKey: document._id,
    epoch: document.epoch,
    token,
    head: document.head ? fromObservationFields(document.head) : null,
    erasedAtMs: document.erasedAt?.getTime() ?? null,
    unsettled:
      lastResult && !lastResult.settled
        ? { scanId: lastResult.scanId, refreshId: lastResult.refreshId, result: lastResult.result }
        : null,
  };
}
