import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { ProcessContext } from '@inventory/runtime/process-context';
import { currentTrace } from '@inventory/runtime/tracing';
import type { Db, Document } from 'mongodb';
import { z } from 'zod';
import { startWorker } from './start-worker.ts';
import { newWork, type WorkField, workField, workIndexOf } from './work-field.ts';
import { createWorkQueue } from './work-queue.ts';
import type { WorkRow } from './work-row.ts';

/**
 * Messages inside the document whose change they announce: state and messages are one write. Their
 * writer publishes them at once; what it did not publish is pending work.
 */
export interface WithOutbox {
  readonly outbox?: readonly OutgoingMessage[];
  /** Absent when no message waits. */
  readonly outboxWork?: WorkField;
}

/** What the writer has not published by then is published by any replica. */
const writerFirstMs = 2_000;

/** The row of an outbox in the table of its service. */
export function outboxWork<Collection extends string>(collection: Collection) {
  return {
    name: `outbox of ${collection}`,
    collection,
    what: 'messages that were written with a change and are not published',
    slots: 20,
    leaseMs: 30_000,
    again: { firstMs: 2_000, maxMs: 30_000 },
    pollEveryMs: 2_000,
    afterCrash: 'any replica sends it',
    givesUp: 'never; refused messages are an alert',
  } as const satisfies WorkRow;
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

/** The part of a new document that has messages. */
export function newOutbox(messages: readonly OutgoingMessage[], nowMs: number) {
  return { outbox: withTrace(messages), outboxWork: newWork(nowMs + writerFirstMs) };
}

/** The part of an update that adds messages. */
export function pushToOutbox(messages: readonly OutgoingMessage[], nowMs: number) {
  return {
    $push: { outbox: { $each: withTrace(messages) } },
    $min: { 'outboxWork.dueAtMs': nowMs + writerFirstMs },
    $max: { 'outboxWork.tries': 0 },
  };
}

export const outboxIndex = workIndexOf('outboxWork');

export interface Outbox {
  /** Publishes the waiting messages of this document; what fails is published later. */
  flush(id: string): Promise<void>;
  /** Publishes messages that were just written into a document, without reading it. */
  send(id: string, messages: readonly OutgoingMessage[]): Promise<void>;
}

type WithMessages = WithOutbox & { readonly _id: string };
const schema: z.ZodType<WithMessages> = z.object({
  _id: z.string(),
  /** Their contract is checked when they are sent. */
  outbox: z.array(z.custom<OutgoingMessage>()).exactOptional(),
  outboxWork: workField.exactOptional(),
});

export function startOutbox(
  db: Db,
  /** The collection whose documents have an outbox; their ids are strings. */
  collectionName: string,
  publish: (messages: readonly OutgoingMessage[]) => Promise<void>,
  context: ProcessContext,
): Outbox {
  const { logger } = context;
  const kind = outboxWork(collectionName);
  const { leaseMs, again } = kind;
  const collection = db.collection<WithMessages>(collectionName);
  const projection = { outbox: 1, outboxWork: 1 };

  // Publishing comes before removing: a crash between them repeats messages, never loses one.
  async function sendAll(_id: string, messages: readonly OutgoingMessage[]): Promise<void> {
    if (messages.length > 0) await publish(messages);
    await collection.updateOne({ _id }, removal(messages.map(({ id }) => id)));
  }

  const queue = createWorkQueue({
    collection,
    documents: { collection: collectionName, schema },
    field: 'outboxWork',
    waitMaxMs: Math.max(leaseMs, again.maxMs),
    projection,
    toItem: ({ outbox = [] }) => outbox,
    completed: 'kept',
    logger,
  });
  const { wakeIn } = startWorker(
    {
      ...kind,
      queue,
      async work({ id, item }) {
        await sendAll(id, item);
        // What was written meanwhile stays pending.
        return 'settled';
      },
    },
    context,
  );

  async function orLater(sent: Promise<void>): Promise<void> {
    try {
      await sent;
    } catch (error) {
      logger.warn({ err: error }, 'messages stay in the outbox, to be sent later');
      wakeIn(writerFirstMs);
    }
  }

  return {
    flush: (_id) =>
      orLater(
        collection
          .findOne({ _id }, { projection })
          .then((found) => found && sendAll(_id, found.outbox ?? []))
          .then(() => {}),
      ),
    send: (id, messages) => orLater(sendAll(id, messages)),
  };
}

/** Removes the published messages, and the pending work with the last one. */
function removal(ids: readonly string[]): Document[] {
  const kept = {
    $filter: {
      input: { $ifNull: ['$outbox', []] },
      cond: { $not: [{ $in: ['$$this.id', { $literal: [...ids] }] }] },
    },
  };
  const isEmpty = { $eq: [{ $size: '$outbox' }, 0] };
  return [
    { $set: { outbox: kept } },
    { $set: { outboxWork: { $cond: [isEmpty, '$$REMOVE', '$outboxWork'] } } },
  ];
}
