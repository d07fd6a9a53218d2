import type { AccountId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import type { Scope } from '@inventory/contracts/scope';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { dateOf } from '@inventory/runtime/clock';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db } from 'mongodb';
import type { Deadlines } from '../deadlines.ts';
import { type Capture, captureDueAtMs, type PendingCapture } from './capture.domain.ts';

const collectionName = 'captures';
/** Longer than any cursor of a chain is read on. */
const endedKeptMs = 24 * 3_600_000;

export const captureIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    {
      name: 'due',
      keys: { dueAt: 1 },
      options: { partialFilterExpression: { dueAt: { $exists: true } } },
    },
    { name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } },
  ],
};

/** What is known of a chain's capture: that it waits (`dueAt`), or that it must not be. */
interface CaptureDocument {
  /** The chain's id. */
  readonly _id: string;
  /** Grows with every claim and with the end, so that who was earlier is told by it alone. */
  readonly epoch: number;
  readonly dueAt?: Date;
  readonly claimedBy?: string | null;
  readonly capture?: CaptureFields;
  readonly trace?: TraceCarrier;
  /** Only of a chain that must not be captured. */
  readonly expireAt?: Date;
}

interface CaptureFields {
  readonly accountId: AccountId;
  readonly scope: Scope;
  readonly language: Language;
  readonly startedAt: Date;
  readonly completedAt: Date;
  readonly reportedTotalCount: number;
  readonly evidence: string;
  readonly giveUpAt: Date;
}

/** A capture that waits, with the trace of the request that made it. */
export type WaitingCapture = PendingCapture & { readonly trace: TraceCarrier };

/** The captures of chains: one document for each chain, if anything is to be remembered of it. */
export function createCaptureStore(db: Db, deadlines: Pick<Deadlines, 'lookUpMs'>) {
  const collection = db.collection<CaptureDocument>(collectionName);
  const bounded = <Value>(work: Promise<Value>) =>
    withDeadline(work, deadlines.lookUpMs, 'a write about a capture');

  return {
    /** Keeps a capture, unless its chain has one already or must not be captured. */
    async add(capture: Capture, trace: TraceCarrier, nowMs: number): Promise<void> {
      const document = toDoc(capture, trace, nowMs);
      try {
        await bounded(collection.insertOne(document));
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
      }
    },

    /** From here on the chain is never captured; a capture that waits is gone. */
    async end(chainId: string, nowMs: number): Promise<void> {
      const ended = {
        $inc: { epoch: 1 },
        $set: { expireAt: dateOf(nowMs + endedKeptMs) },
        $unset: { dueAt: '', capture: '', trace: '', claimedBy: '' },
      } as const;
      const write = () => collection.updateOne({ _id: chainId }, ended, { upsert: true });
      // Two first ends of a chain can meet in the upsert; the second then finds it.
      await bounded(
        write().catch((error: unknown) => {
          if (duplicateKeyOf(error) === null) throw error;
          return write();
        }),
      );
    },

    /** Captures that are due, longest first. */
    async due(nowMs: number, limit: number): Promise<WaitingCapture[]> {
      const found = await collection
        .find({ dueAt: { $lte: dateOf(nowMs) } })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray();
      return found.flatMap(fromDoc);
    },

    /** Takes a capture until then; false when another replica took it or its chain was ended. */
    async claim(capture: PendingCapture, replica: string, untilMs: number): Promise<boolean> {
      const taken = await collection.updateOne(
        { _id: capture.chainId, epoch: capture.epoch },
        { $set: { dueAt: dateOf(untilMs), claimedBy: replica }, $inc: { epoch: 1 } },
      );
      return taken.modifiedCount === 1;
    },

    async isHeld({ chainId, epoch }: PendingCapture): Promise<boolean> {
      const held = { _id: chainId, epoch, dueAt: { $exists: true } };
      return (await collection.findOne(held, { projection: { _id: 1 } })) !== null;
    },

    /** Forgets a capture that waits; that a chain must not be captured is remembered. */
    async settle({ chainId }: PendingCapture): Promise<void> {
      await collection.deleteOne({ _id: chainId, dueAt: { $exists: true } });
    },
  };
}

function toDoc(capture: Capture, trace: TraceCarrier, nowMs: number): CaptureDocument {
  return {
    _id: capture.chainId,
    epoch: 0,
    dueAt: dateOf(captureDueAtMs(nowMs, 0)),
    claimedBy: null,
    trace,
    capture: {
      accountId: capture.accountId,
      scope: capture.scope,
      language: capture.language,
      startedAt: dateOf(capture.startedAtMs),
      completedAt: dateOf(capture.completedAtMs),
      reportedTotalCount: capture.reportedTotalCount,
      evidence: capture.evidence,
      giveUpAt: dateOf(capture.giveUpAtMs),
    },
  };
}

function fromDoc({ _id, epoch, dueAt, trace, capture }: CaptureDocument): WaitingCapture[] {
  if (!dueAt || !capture) return [];
  const { accountId, scope, language, reportedTotalCount, evidence } = capture;
  return [
    {
      id: _id,
      chainId: _id,
      epoch,
      dueAtMs: dueAt.getTime(),
      trace: trace ?? {},
      accountId,
      scope,
      language,
      startedAtMs: capture.startedAt.getTime(),
      completedAtMs: capture.completedAt.getTime(),
      reportedTotalCount,
      evidence,
      giveUpAtMs: capture.giveUpAt.getTime(),
    },
  ];
}
