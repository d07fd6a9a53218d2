import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import type { Collection, Db } from 'mongodb';
import type { RefreshEvent } from '../domain/refresh-event.ts';

/** One place in a Project's log. Its `_id` is won by insert: Project, epoch and position. */
export interface LogEntryDocument {
  readonly _id: string;
  readonly projectId: ProjectId;
  readonly accountId: AccountId;
  readonly logEpoch: number;
  readonly position: number;
  readonly eventId: string;
  readonly event: RefreshEvent;
  readonly appendedAt: Date;
}

export function openLogCollection(db: Db): Collection<LogEntryDocument> {
  return db.collection('projectLog');
}

export const indexes: readonly CollectionIndexes[] = [
  {
    collection: 'projectLog',
    indexes: [
      // However often and on however many replicas a refresh is announced, it has one place.
      { name: 'event_id', keys: { eventId: 1 }, options: { unique: true } },
    ],
  },
];
