import type { EventId, ProjectId } from '@inventory/contracts/ids';
import type { AppendedEvent } from '@inventory/contracts/messages/project-events';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import { parseDocument, readFirst } from '@inventory/mongo/parse-document';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import type { Clock } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { FindCursor } from 'mongodb';
import { type Claim, createClaimStore } from './claim-store.ts';
import {
  type AppendedPosition,
  type LogCollections,
  type LogEntryDocument,
  logDocuments,
} from './log-document.ts';

export interface KeptEntry extends AppendedEvent {
  readonly appendedAtMs: number;
}

export interface ProjectLogSettings {
  /** Increased when the log is restored from a backup: cursors may then be ahead of it. */
  readonly logEpoch: number;
  /** Entries younger than this are never pruned. */
  readonly keepMs: number;
}

/** Entries per command. */
const entriesAtOnce = 100;
const readsAtOnce = 100;

interface NewEntry extends Claim {
  readonly _id: string;
  readonly projectId: ProjectId;
}

/** The append-only log of each Project's events: commit order is position order. */
export type ProjectLog = ReturnType<typeof createProjectLog>;

export function createProjectLog(
  { log, pruned, claims }: LogCollections,
  { logEpoch, keepMs }: ProjectLogSettings,
  clock: Clock,
  logger: Logger,
) {
  const inserts = createBatcher<NewEntry, number | null>({
    ...sharedCommands,
    itemsMax: entriesAtOnce,
    async flush(entries) {
      const appendedAtMs = clock.now();
      const documents = entries.map((entry) => ({ ...entry, appendedAtMs }));
      const taken = await refusedWrites(log.insertMany(documents, { ordered: false }));
      return entries.map((_entry, index) => (taken.has(index) ? null : appendedAtMs));
    },
  });

  return {
    ...logReads(log, (stored) => keptEntryOf(logEpoch, stored), logger),
    ...createClaimStore(claims, () => clock.now() + keepMs),
    /** Inserts the entry of a claim. Resolves with its time; null when its position or its event has one. */
    insertEntry: (projectId: ProjectId, claim: Claim): Promise<number | null> =>
      inserts.add({ _id: idOf(projectId, claim.position), projectId, ...claim }),
    /** Position of an event whose entry was pruned. */
    async findPruned(projectId: ProjectId, eventId: EventId): Promise<number | null> {
      const found = await pruned.findOne({ _id: eventId, projectId });
      return found && parseDocument(logDocuments.pruned, found).position;
    },
  };
}

/** Both ends are included. */
export interface TimeRange {
  readonly sinceMs: number;
  readonly untilMs: number;
}

const appendedIn = ({ sinceMs, untilMs }: TimeRange) => ({
  appendedAtMs: { $gte: sinceMs, $lte: untilMs },
});

interface LogRead {
  readonly projectId: ProjectId;
  /** The entries after it. */
  readonly position: number;
  readonly limit: number;
}

function logReads(
  log: LogCollections['log'],
  fromDoc: (stored: LogEntryDocument) => KeptEntry,
  logger: Logger,
) {
  const first = (query: FindCursor<LogEntryDocument>, limit: number): Promise<KeptEntry[]> =>
    readFirst(query, limit, (stored) => [fromDoc(stored)], logger);

  const read = ({ projectId, position, limit }: LogRead) =>
    first(log.find(entriesAfter(projectId, position), byId).sort({ _id: 1 }), limit);

  // Reads of the same batch that are requested in one tick are one read. It begins after the last of
  // the requests, so that it finds what was appended before any of them; each batch fails alone.
  const reads = createBatcher<LogRead, { readonly entries: Promise<KeptEntry[]> }>({
    ...sharedCommands,
    itemsMax: readsAtOnce,
    async flush(wanted) {
      const shared = new Map<string, Promise<KeptEntry[]>>();
      return wanted.map((one) => {
        const key = `${idOf(one.projectId, one.position)}/${one.limit}`;
        const entries = shared.get(key) ?? read(one);
        shared.set(key, entries);
        return { entries };
      });
    },
  });

  return {
    /** Position of the newest entry; 0 where there is none. */
    async readHead(projectId: ProjectId): Promise<number> {
      const newest = await log.findOne(entriesAfter(projectId, 0), {
        ...byId,
        sort: { _id: -1 },
        projection: { position: 1 },
      });
      return newest?.position ?? 0;
    },
    /** Kept entries after a position, ascending. */
    async listAfter(projectId: ProjectId, position: number, limit: number): Promise<KeptEntry[]> {
      const { entries } = await reads.add({ projectId, position, limit });
      return entries;
    },
    /** Positions of all Projects appended at or after a time, oldest first. */
    async listAppendedSince(sinceMs: number, limit: number): Promise<AppendedPosition[]> {
      const since = { appendedAtMs: { $gte: sinceMs } };
      const projection = { _id: 0, projectId: 1, position: 1, appendedAtMs: 1 } as const;
      const query = log.find<AppendedPosition>(since, { projection }).sort({ appendedAtMs: 1 });
      return readFirst(query, limit, (stored) => [appendedOf(stored)], logger);
    },
    /** Kept entries appended in a time range, after a position, ascending. */
    listBetween(
      projectId: ProjectId,
      { after: position, ...range }: TimeRange & { readonly after: number },
      limit: number,
    ): Promise<KeptEntry[]> {
      const query = log.find({ ...entriesAfter(projectId, position), ...appendedIn(range) }, byId);
      return first(query.sort({ _id: 1 }), limit);
    },
    /** When the entry was appended that follows the first `count` ones of a time range; null without one. */
    async findAppendedAfter(projectId: ProjectId, range: TimeRange, count: number) {
      const next = await log.findOne(
        { ...entriesAfter(projectId, 0), ...appendedIn(range) },
        { ...byId, sort: { _id: 1 }, skip: count, projection: { appendedAtMs: 1 } },
      );
      return next?.appendedAtMs ?? null;
    },
    /** The kept entry of an event. */
    async findEntry(projectId: ProjectId, eventId: EventId): Promise<KeptEntry | null> {
      const kept = await log.findOne({ projectId, 'event.id': eventId });
      return kept && fromDoc(kept);
    },
  };
}

function keptEntryOf(logEpoch: number, stored: LogEntryDocument): KeptEntry {
  const { projectId, position, event, appendedAtMs } = parseDocument(logDocuments.entry, stored);
  return { projectId, position, logEpoch, event, appendedAtMs };
}

/** Read by the index alone, without the `_id`. */
function appendedOf(stored: AppendedPosition): AppendedPosition {
  const named = { ...stored, _id: `${stored.projectId}/${stored.position}` };
  return parseDocument(logDocuments.appended, named);
}

const positionDigits = 12;

/** Ids of a Project's entries sort by position. */
export function idOf(projectId: ProjectId, position: number): string {
  return `${projectId}/${String(position).padStart(positionDigits, '0')}`;
}

/**
 * The entries of a Project after a position: the Project selects the shard, the range of ids the entries.
 * `0` is the character after `/`.
 */
export function entriesAfter(projectId: ProjectId, position: number) {
  return { projectId, _id: { $gt: idOf(projectId, position), $lt: `${projectId}0` } };
}
export const byId = { hint: { _id: 1 } } as const;
