import { accountId } from '@inventory/contracts/ids';
import { inventoryKey } from '@inventory/contracts/inventory-key';
import { language } from '@inventory/contracts/languages';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { parseDocument, readFirst } from '@inventory/mongo/parse-document';
import { storedTrace } from '@inventory/mongo/stored-trace';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Deadlines } from '../deadlines.ts';
import { type Capture, captureDueAtMs, type PendingCapture } from './capture.domain.ts';

const collectionName = 'captures';
/** Longer than the life of any cursor of a chain. */
const endedKeptMs = 24 * 3_600_000;

export const captureIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    {
      name: 'due',
      keys: { dueAt: 1 },
      options: whereExists('dueAt'),
    },
    { name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } },
  ],
};

const captureFields = z.object({
  accountId,
  scope: inventoryKey,
  language,
  startedAt: z.date(),
  completedAt: z.date(),
  reportedTotalCount: z.int(),
  evidence: z.string(),
  /** Absent in documents of earlier versions. */
  replaced: z.array(z.int()).exactOptional(),
  giveUpAt: z.date(),
});

/** The capture of a chain: pending (`dueAt`), or excluded (`expireAt`). */
const documents = {
  collection: collectionName,
  schema: z.object({
    /** The chain's id. */
    _id: z.string(),
    /** Increases with every claim and with the exclusion: it orders the writes. */
    epoch: z.int(),
    dueAt: z.date().exactOptional(),
    claimedBy: z.string().nullable().exactOptional(),
    capture: captureFields.exactOptional(),
    trace: storedTrace.exactOptional(),
    /** Only of a chain that must not be captured. */
    expireAt: z.date().exactOptional(),
  }),
};
type CaptureDocument = z.infer<typeof documents.schema>;

/** A pending capture with the trace of the request that created it. */
export type WaitingCapture = PendingCapture & { readonly trace: TraceCarrier };

/** Captures of chains: one document for each chain that has a pending capture or is excluded. */
export function createCaptureStore(db: Db, deadlines: Pick<Deadlines, 'lookUpMs'>, logger: Logger) {
  const collection = db.collection<CaptureDocument>(collectionName);
  const bounded = <Value>(work: Promise<Value>) =>
    withDeadline(work, deadlines.lookUpMs, 'storing a capture');

  return {
    /** Inserts a capture, unless its chain has one or is excluded. */
    async insertCapture(capture: Capture, trace: TraceCarrier, nowMs: number): Promise<void> {
      const document = toDoc(capture, trace, nowMs);
      try {
        await bounded(collection.insertOne(document));
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
      }
    },

    /** Excludes the chain from capture and deletes its pending capture. */
    async excludeChain(chainId: string, nowMs: number): Promise<void> {
      const ended = {
        $inc: { epoch: 1 },
        $set: { expireAt: dateOf(nowMs + endedKeptMs) },
        $unset: { dueAt: '', capture: '', trace: '', claimedBy: '' },
      } as const;
      const write = () => collection.updateOne({ _id: chainId }, ended, { upsert: true });
      // Two concurrent upserts of one chain can conflict; the second attempt then updates.
      await bounded(
        write().catch((error: unknown) => {
          if (duplicateKeyOf(error) === null) throw error;
          return write();
        }),
      );
    },

    /** Due captures, earliest first. */
    async findDueCaptures(nowMs: number, limit: number): Promise<WaitingCapture[]> {
      const due = collection.find({ dueAt: { $lte: dateOf(nowMs) } }).sort({ dueAt: 1 });
      return readFirst(due, limit, fromDoc, logger);
    },

    /**
     * Claims a capture until `untilMs`; false when another replica claimed it or its chain was
     * excluded.
     */
    async claimCapture(
      capture: PendingCapture,
      replica: string,
      untilMs: number,
    ): Promise<boolean> {
      const taken = await collection.updateOne(
        { _id: capture.chainId, epoch: capture.epoch },
        { $set: { dueAt: dateOf(untilMs), claimedBy: replica }, $inc: { epoch: 1 } },
      );
      return taken.modifiedCount === 1;
    },

    async isCaptureClaimed({ chainId, epoch }: PendingCapture): Promise<boolean> {
      const held = { _id: chainId, epoch, dueAt: { $exists: true } };
      return (await collection.findOne(held, { projection: { _id: 1 } })) !== null;
    },

    /** Deletes a pending capture; an exclusion stays. */
    async deleteCapture({ chainId }: PendingCapture): Promise<void> {
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
      replaced: [...capture.replaced],
      giveUpAt: dateOf(capture.giveUpAtMs),
    },
  };
}

function fromDoc(stored: CaptureDocument): WaitingCapture[] {
  const { _id, epoch, dueAt, trace, capture } = parseDocument(documents, stored);
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
      replaced: capture.replaced ?? [],
      giveUpAtMs: capture.giveUpAt.getTime(),
    },
  ];
}
