import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { currentTrace } from '@inventory/runtime/tracing';
import type { Db, Document } from 'mongodb';
import { ZodError } from 'zod';
import { observeOutbox } from './outbox-metrics.ts';

/**
 * Messages that wait inside the document whose change they announce: state and its messages are
 * one write. They leave at once; after a crash the sweeper finds them.
 */
export interface WithOutbox {
  readonly outbox?: readonly OutgoingMessage[];
  /** When the oldest waiting message was written; absent when none waits. */
  readonly outboxSince?: Date;
  /** Until then one sweeper publishes what waits; absent or past, any sweeper may claim it. */
  readonly outboxClaimedUntil?: Date;
}

/** The trace a message continues is the one that is active when its state changes. */
export function withTrace(messages: readonly OutgoingMessage[]): OutgoingMessage[] {
  const trace = currentTrace();
  return messages.map((message) => {
    // The store would keep what is undefined as null, which is something else to a contract.
    const given = Object.fromEntries(
      Object.entries(message).filter(([, value]) => value !== undefined),
    ) as OutgoingMessage;
    return { ...given, trace: message.trace ?? trace };
  });
}

/** The part of an update that adds messages. */
export function pushToOutbox(messages: readonly OutgoingMessage[], now: Date) {
  return {
    $push: { outbox: { $each: withTrace(messages) } },
    $min: { outboxSince: now },
  };
}

/** Index for the sweeper: only documents with waiting messages are in it. */
export const outboxIndex = {
  name: 'outbox_since',
  keys: { outboxSince: 1 },
  options: { partialFilterExpression: { outboxSince: { $exists: true } } },
} as const;

export interface OutboxRelay {
  /** Publishes what waits in these documents; a failure is left to the sweeper. */
  flush(ids: readonly string[]): Promise<void>;
  /** The same for messages that were just written into a document: it need not be read. */
  send(id: string, messages: readonly OutgoingMessage[]): Promise<void>;
}

export interface OutboxRelayOptions {
  readonly db: Db;
  /** The collection whose documents carry an outbox; their ids are strings. */
  readonly collectionName: string;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  readonly now: () => number;
  /** The sweeper stops when it closes. */
  readonly lifetime: Pick<Lifetime, 'defer'>;
  readonly logger: Logger;
}

const sweepAfterMs = 2_000;
/** When a claim expires: after a crash, or where publishing takes longer, messages repeat. */
const claimMs = 30_000;

/** Documents whose messages can never be sent are left out of sweeps, up to this many. */
const unsendableMax = 1_000;

export function startOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const { collectionName, lifetime, logger } = options;
  const collection = options.db.collection<WithOutbox & { _id: string }>(collectionName);
  const unsendable = new Set<string>();
  /** Stays where a sweep fails: what it found is still waiting. */
  let oldestAtMs: number | null = null;
  const unobserve = observeOutbox(collectionName, {
    oldestAtMs: () => oldestAtMs,
    unsendable: () => unsendable.size,
    now: options.now,
  });
  lifetime.defer(`metrics of ${collectionName}`, unobserve);

  async function relay(document: WithOutbox & { _id: string }): Promise<void> {
    const waiting = document.outbox ?? [];
    // Publishing comes before removing: a crash between them repeats messages, never loses one.
    if (waiting.length > 0) await options.publish(waiting);
    await collection.updateOne({ _id: document._id }, removal(waiting.map(({ id }) => id)));
  }

  /** One document that breaks a contract must not keep those behind it from being relayed. */
  async function relayAll(documents: readonly (WithOutbox & { _id: string })[]): Promise<void> {
    for (const document of documents) {
      try {
        await relay(document);
      } catch (error) {
        if (!(error instanceof ZodError)) throw error;
        if (unsendable.size < unsendableMax) unsendable.add(document._id);
        const { _id } = document;
        logger.error({ err: error, collectionName, _id }, 'outbox message invalid');
      }
    }
  }

  /** The document that waits longest and that no other sweeper works on. */
  function claimOldest(
    nowMs: number,
    outboxClaimedUntil: Date,
  ): Promise<(WithOutbox & { _id: string }) | null> {
    return collection.findOneAndUpdate(
      {
        outboxSince: { $lte: new Date(nowMs - sweepAfterMs) },
        outboxClaimedUntil: { $not: { $gt: new Date(nowMs) } },
        _id: { $nin: [...unsendable] },
      },
      { $set: { outboxClaimedUntil } },
      { sort: { outboxSince: 1 }, returnDocument: 'after' },
    );
  }

  /**
   * Publishes one document's messages. Claimed first, they are published by one of the replicas
   * that sweep. A claim whose messages can never be sent is kept: it keeps the document out of the
   * way until it expires.
   */
  async function sweep(): Promise<boolean> {
    const nowMs = options.now();
    const outboxClaimedUntil = new Date(nowMs + claimMs);
    const claimed = await claimOldest(nowMs, outboxClaimedUntil);
    oldestAtMs = claimed?.outboxSince?.getTime() ?? null;
    if (claimed === null) return false;
    try {
      await relayAll([claimed]);
    } catch (error) {
      const { _id } = claimed;
      const release = { $unset: { outboxClaimedUntil: '' } } as const;
      await collection.updateOne({ _id, outboxClaimedUntil }, release);
      throw error;
    }
    return true;
  }

  startPeriodicJob({
    name: `outbox of ${collectionName}`,
    intervalMs: sweepAfterMs,
    lifetime,
    logger,
    runOnce: sweep,
  });

  async function orLeaveToSweeper(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      logger.warn({ err: error }, 'outbox not relayed; the sweeper will');
    }
  }

  return {
    flush: (ids) =>
      orLeaveToSweeper(async () => {
        await relayAll(await collection.find({ _id: { $in: [...ids] } }).toArray());
      }),
    send: (_id, outbox) => orLeaveToSweeper(() => relayAll([{ _id, outbox }])),
  };
}

/** Takes out the published messages and any claim; the mark goes with the last message. */
function removal(ids: readonly string[]): Document[] {
  const kept = {
    $filter: {
      input: { $ifNull: ['$outbox', []] },
      cond: { $not: [{ $in: ['$$this.id', { $literal: [...ids] }] }] },
    },
  };
  return [
    { $set: { outbox: kept } },
    {
      $set: {
        outboxSince: { $cond: [{ $eq: [{ $size: '$outbox' }, 0] }, '$$REMOVE', '$outboxSince'] },
        outboxClaimedUntil: '$$REMOVE',
      },
    },
  ];
}
