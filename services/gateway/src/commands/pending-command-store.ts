import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { dateOf } from '@inventory/runtime/clock';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import type { PendingCommand } from './pending-command.domain.ts';

/** The fields that every pending command's document has. */
export interface PendingDocument {
  readonly _id: string;
  readonly dueAt: Date;
  readonly epoch: number;
  /** The replica that took it last, for diagnosis only. */
  readonly claimedBy: string | null;
}

export function pendingCommandIndexes(collection: string): CollectionIndexes {
  return { collection, indexes: [{ name: 'due', keys: { dueAt: 1 } }] };
}

export interface PendingCommandStore<Command extends PendingCommand> {
  /** Commands that are due, earliest first. */
  due(nowMs: number, limit: number): Promise<Command[]>;
  /** Takes a command until `untilMs`; false when another replica took or settled it meanwhile. */
  claim(command: Command, replica: string, untilMs: number): Promise<boolean>;
  /** Removes a command that its owner has answered. */
  settle(command: Command): Promise<void>;
}

export function createPendingCommandStore<
  Document extends PendingDocument,
  Command extends PendingCommand,
>(
  collection: Collection<Document>,
  fromDoc: (document: Document) => Command,
): PendingCommandStore<Command> {
  return {
    async due(nowMs, limit) {
      const found = await collection
        .find({ dueAt: { $lte: dateOf(nowMs) } } as Filter<Document>)
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray();
      return found.map((document) => fromDoc(document as Document));
    },
    async claim(command, replica, untilMs) {
      const taken = await collection.updateOne(
        { _id: command.id, epoch: command.epoch } as Filter<Document>,
        {
          $set: { dueAt: dateOf(untilMs), claimedBy: replica, epoch: command.epoch + 1 },
        } as unknown as UpdateFilter<Document>,
      );
      return taken.modifiedCount === 1;
    },
    async settle(command) {
      await collection.deleteOne({ _id: command.id } as Filter<Document>);
    },
  };
}
