import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { currentTrace } from '@inventory/runtime/tracing';
import type { Db, Document } from 'mongodb';
import { ZodError } from 'zod';
import { whereExists } from './indexes.ts';
import { observeOutbox } from './outbox-metrics.ts';

/**
 * Messages inside the document whose change they announce: state and messages are one write. They
 * are published at once; after a crash the sweeper publishes them.
 */
export interface WithOutbox {
  readonly outbox?: readonly OutgoingMessage[];
  /** When the oldest waiting message was written; absent when none waits. */
  readonly outboxSince?: Date;
  /** Until then one sweeper publishes the messages; when absent or past, any may claim them. */
  readonly outboxClaimedUntil?: Date;
}

/** A message continues the trace that is active when its state changes. */
export function withTrace(messages: readonly OutgoingMessage[]): OutgoingMessage[] {
  const trace = currentTrace();
  return messages.map((message) => {
    // The store would write undefined as null, which a contract refuses.
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

/** The sweeper's index: only documents with waiting messages are in it. */
export const outboxIndex = {
  name: 'outbox_since',
  keys: { outboxSince: 1 },
  options: whereExists('outboxSince'),
} as const;

export interface OutboxRelay {
  /** Publishes the waiting messages of these documents; after a failure the sweeper does. */
  flush(ids: readonly string[]): Promise<void>;
  /** Publishes messages that were just written into a document, without reading it. */
  send(id: string, messages: readonly OutgoingMessage[]): Promise<void>;
}

export interface OutboxRelayOptions {
  readonly db: Db;
  /** The collection whose documents have an outbox; their ids are strings. */
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
/** One whose messages are refused waits, so that later ones are published meanwhile. */
const failedMs = 2_000;

/** Documents whose messages can never be sent are excluded from sweeps, up to this many. */
const unsendableMax = 1_000;

export function startOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const { collectionName, lifetime, logger } = options;
  const collection = options.db.collection<WithOutbox & { _id: string }>(collectionName);
  const unsendable = new Set<string>();
  /** Kept when a sweep fails: its message is still waiting. */
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

  /** A document that breaks a contract must not block later ones. */
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

  /** The document with the oldest message that no other sweeper has claimed. */
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
   * Claims one document and publishes its messages, so that one replica does. A claim whose messages
   * can never be sent is kept: it excludes the document until it expires.
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
      const released = { outboxClaimedUntil: new Date(options.now() + failedMs) };
      await collection.updateOne({ _id, outboxClaimedUntil }, { $set: released });
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

  async function orDeferToSweeper(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      logger.warn({ err: error }, 'outbox not relayed, deferred to the sweeper');
    }
  }

  return {
    flush: (ids) =>
      orDeferToSweeper(async () => {
        await relayAll(await collection.find({ _id: { $in: [...ids] } }).toArray());
      }),
    send: (_id, outbox) => orDeferToSweeper(() => relayAll([{ _id, outbox }])),
  };
}

/** Removes the published messages and any claim; `outboxSince` with the last message. */
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
