import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import type { Clock } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { RefreshEvent } from '../domain/refresh-event.ts';
import type { LogEntryDocument } from './collections.ts';

export interface LogEntry {
  readonly projectId: ProjectId;
  readonly logEpoch: number;
  /** Contiguous from 1. */
  readonly position: number;
  readonly event: RefreshEvent;
}

/** The append-only log of each Project's events: commit order is position order. */
export interface ProjectLog {
  /** The event's entry, made now or found: an event is appended once. */
  append(accountId: AccountId, event: RefreshEvent): Promise<LogEntry>;
}

/** Grows only when a log is restored from an older backup; see docs/architecture.md. */
const logEpoch = 1;
const raceMax = 1_000;

export function createProjectLog(
  collection: Collection<LogEntryDocument>,
  clock: Clock,
): ProjectLog {
  async function lastPosition(projectId: ProjectId): Promise<number> {
    const range = { $gte: entryId(projectId, 0), $lt: entryId(projectId, maxPosition) };
    const newest = await collection.find({ _id: range }).sort({ _id: -1 }).limit(1).next();
    return newest?.position ?? 0;
  }

  /** A position is won by inserting it; a loser reads the head again and tries the next one. */
  async function tryAppend(
    accountId: AccountId,
    event: RefreshEvent,
    position: number,
  ): Promise<'appended' | 'position_taken' | 'known'> {
    const { projectId, id: eventId } = event;
    const _id = entryId(projectId, position);
    const appendedAt = new Date(clock.now());
    const entry = { _id, projectId, accountId, logEpoch, position, eventId, event, appendedAt };
    try {
      await collection.insertOne(entry);
      return 'appended';
    } catch (error) {
      const fields = duplicateKeyOf(error);
      if (!fields) throw error;
      return fields.includes('eventId') ? 'known' : 'position_taken';
    }
  }

  return {
    async append(accountId, event) {
      for (let race = 0; race < raceMax; race += 1) {
        const position = (await lastPosition(event.projectId)) + 1;
        const result = await tryAppend(accountId, event, position);
        if (result === 'appended') return { projectId: event.projectId, logEpoch, position, event };
        // A taken position may be this very event's: both indexes are hit and either is named.
        const known = await collection.findOne({ eventId: event.id });
        if (known) return known;
      }
      throw new Error('the log of a Project is too contended to append to');
    },
  };
}

const positionDigits = 12;
const maxPosition = 10 ** positionDigits - 1;

function entryId(projectId: ProjectId, position: number): string {
  return `${projectId}/${logEpoch}/${String(position).padStart(positionDigits, '0')}`;
}
