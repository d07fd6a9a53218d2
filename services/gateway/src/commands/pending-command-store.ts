import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { readFirst } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { z } from 'zod';
import type { PendingCommand } from './pending-command.domain.ts';

/** Fields of the document of every pending command. */
export const pendingFields = {
  dueAt: z.date(),
  epoch: z.int(),
  /** The replica that claimed it last; for diagnosis only. */
  claimedBy: z.string().nullable(),
};
interface PendingDocument extends z.infer<z.ZodObject<typeof pendingFields>> {
  readonly _id: string;
}

export function pendingCommandIndexes(collection: string): CollectionIndexes {
  return { collection, indexes: [{ name: 'due', keys: { dueAt: 1 } }] };
}

export interface PendingCommandStore<Command extends PendingCommand> {
  /** Due commands, earliest first. */
  findDueCommands(nowMs: number, limit: number): Promise<Command[]>;
  /** Claims a command until `untilMs`; false when another replica claimed or deleted it. */
  claimCommand(command: Command, replica: string, untilMs: number): Promise<boolean>;
  /** Deletes a command whose outcome was received. */
  deleteCommand(command: Command): Promise<void>;
}

export function createPendingCommandStore<
  Document extends PendingDocument,
  Command extends PendingCommand,
>(
  collection: Collection<Document>,
  fromDoc: (document: Document) => Command,
  logger: Logger,
): PendingCommandStore<Command> {
  return {
    async findDueCommands(nowMs, limit) {
      const due = collection
        .find({ dueAt: { $lte: dateOf(nowMs) } } as Filter<Document>)
        .sort({ dueAt: 1 });
      return readFirst(due, limit, (document) => [fromDoc(document as Document)], logger);
    },
    async claimCommand(command, replica, untilMs) {
      const taken = await collection.updateOne(
        { _id: command.id, epoch: command.epoch } as Filter<Document>,
        {
          $set: { dueAt: dateOf(untilMs), claimedBy: replica, epoch: command.epoch + 1 },
        } as unknown as UpdateFilter<Document>,
      );
      return taken.modifiedCount === 1;
    },
    async deleteCommand(command) {
      await collection.deleteOne({ _id: command.id } as Filter<Document>);
    },
  };
}
