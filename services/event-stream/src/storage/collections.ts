import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import type { Collection, Db } from 'mongodb';
import type { LoggedEvent } from '../domain/project-event.ts';

/** One place in a Project's log. Its `_id` is won by insert: Project and position. */
export interface LogEntryDocument {
  readonly _id: string;
  readonly projectId: ProjectId;
  readonly accountId: AccountId;
  readonly position: number;
  readonly eventId: string;
  readonly event: LoggedEvent;
  readonly appendedAt: Date;
}

/** The place of an event whose entry was pruned: announced again it must not get another one. */
export interface PrunedEventDocument {
  /** The event's id. */
  readonly _id: string;
  readonly projectId: ProjectId;
  readonly position: number;
  readonly prunedAt: Date;
}

export function openLogCollection(db: Db): Collection<LogEntryDocument> {
  return db.collection('projectLog');
}

export function openPrunedCollection(db: Db): Collection<PrunedEventDocument> {
  return db.collection('prunedEvents');
}

export const indexes: readonly CollectionIndexes[] = [
  {
    collection: 'projectLog',
    indexes: [
      // However often and on however many replicas a refresh is announced, it has one place.
      { name: 'event_id', keys: { eventId: 1 }, options: { unique: true } },
      { name: 'appended_at', keys: { appendedAt: 1 } },
    ],
  },
  { collection: 'prunedEvents', indexes: [{ name: 'pruned_at', keys: { prunedAt: 1 } }] },
];
