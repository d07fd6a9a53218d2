import type { AccountId, EventId, ProjectId } from '@inventory/contracts/ids';
import type { EventText } from '@inventory/contracts/internal/event-log';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import { parseDocument } from '@inventory/mongo/parse-document';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { type Clock, dateOf, fromIsoTime } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import type { Collection } from 'mongodb';
import { type LogEntryDocument, logDocuments, type PrunedEventDocument } from './log-document.ts';

/** The log that an event belongs to. */
export interface EventOwner {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
}

export interface LogEntry {
  readonly projectId: ProjectId;
  readonly event: EventText;
  readonly logEpoch: number;
  /** Contiguous from 1. */
  readonly position: number;
  /** Null for an entry that was pruned. */
  readonly appendedAtMs: number | null;
}

export interface KeptEntry extends LogEntry {
  readonly appendedAtMs: number;
}

export interface AppendedPosition {
  readonly projectId: ProjectId;
  readonly position: number;
  readonly appendedAtMs: number;
}

export interface ProjectLogSettings {
  /** Increased when the log is restored from a backup: cursors may then be ahead of it. */
  readonly logEpoch: number;
  /** Entries younger than this are never pruned, so only older events are searched among pruned ones. */
  readonly keepMs: number;
}

export interface LogCollections {
  readonly log: Collection<LogEntryDocument>;
  readonly pruned: Collection<PrunedEventDocument>;
}

const raceMax = 1_000;
/** Entries per command. */
const entriesAtOnce = 100;
const readsAtOnce = 100;
/** Projects whose last position is cached. */
const lastPositionsMax = 50_000;

type NewEntry = Omit<LogEntryDocument, 'appendedAt'>;

/** The append-only log of each Project's events: commit order is position order. */
export type ProjectLog = ReturnType<typeof createProjectLog>;

export function createProjectLog(
  { log, pruned }: LogCollections,
  clock: Clock,
  { logEpoch, keepMs }: ProjectLogSettings,
) {
  const lastPositions = createRecentlyUsed<ProjectId, number>(lastPositionsMax);

  /** Cached where this replica appended before; read again after a conflict. */
  async function lastPosition(projectId: ProjectId, race: number): Promise<number> {
    const cached = race === 0 ? lastPositions.get(projectId) : undefined;
    return cached ?? (await readHead(projectId));
  }

  /** Position of the newest entry; 0 where there is none. */
  async function readHead(projectId: ProjectId): Promise<number> {
    const newest = await log.findOne(
      { _id: idsAfter(projectId, 0) },
      { sort: { _id: -1 }, projection: { position: 1 } },
    );
    return newest?.position ?? 0;
  }

  /** A position is acquired by insert. Resolves with the time of the append; null when it is taken. */
  const appends = createBatcher<NewEntry, number | null>({
    ...sharedCommands,
    itemsMax: entriesAtOnce,
    async flush(entries) {
      const appendedAtMs = clock.now();
      const appendedAt = dateOf(appendedAtMs);
      const documents = entries.map((entry) => ({ ...entry, appendedAt }));
      const taken = await refusedWrites(log.insertMany(documents, { ordered: false }));
      return entries.map((_entry, index) => (taken.has(index) ? null : appendedAtMs));
    },
  });

  /** Null when the position is taken: then the head is read and the next position tried. */
  async function tryAppend(
    { accountId, projectId }: EventOwner,
    event: EventText,
    position: number,
  ): Promise<KeptEntry | null> {
    const _id = idOf(projectId, position);
    const appendedAtMs = await appends.add({ _id, projectId, accountId, position, event });
    return appendedAtMs === null ? null : { projectId, position, logEpoch, event, appendedAtMs };
  }

  /** An event that is announced again after its entry was pruned keeps its position. */
  async function findPruned(projectId: ProjectId, event: EventText): Promise<LogEntry | null> {
    if (fromIsoTime(event.occurred_at) > clock.now() - keepMs) return null;
    const found = await pruned.findOne({ _id: event.id, projectId });
    if (found === null) return null;
    const { position } = parseDocument(logDocuments.pruned, found);
    return { projectId, position, logEpoch, event, appendedAtMs: null };
  }

  return {
    readHead,
    /** The entry of the event, inserted or found: an event is appended once. */
    async appendEvent(owner: EventOwner, event: EventText): Promise<LogEntry> {
      const { projectId } = owner;
      const earlier = await findPruned(projectId, event);
      if (earlier) return earlier;
      for (let race = 0; race < raceMax; race += 1) {
        const position = (await lastPosition(projectId, race)) + 1;
        const entry = await tryAppend(owner, event, position);
        if (entry) {
          lastPositions.set(projectId, position);
          return entry;
        }
        // A taken position may be this very event's: both indexes are hit and either is named.
        const known = await log.findOne({ projectId, 'event.id': event.id });
        if (known) return keptEntryOf(logEpoch, known);
      }
      throw new Error('the log of a Project is too contended to append to');
    },
    ...logReads(log, (stored) => keptEntryOf(logEpoch, stored)),
  };
}

interface LogRead {
  readonly projectId: ProjectId;
  /** The entries after it. */
  readonly position: number;
  readonly limit: number;
}

function logReads(log: LogCollections['log'], fromDoc: (stored: LogEntryDocument) => KeptEntry) {
  async function read({ projectId, position, limit }: LogRead): Promise<KeptEntry[]> {
    const kept = await log
      .find({ _id: idsAfter(projectId, position) }, { sort: { _id: 1 }, limit })
      .toArray();
    return kept.map(fromDoc);
  }

  // Reads of the same batch that are requested in one turn are one read. It begins after the last of
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
    /** Kept entries after a position, ascending. */
    async listAfter(projectId: ProjectId, position: number, limit: number): Promise<KeptEntry[]> {
      const { entries } = await reads.add({ projectId, position, limit });
      return entries;
    },
    /** Positions of all Projects appended at or after a time, oldest first. */
    async listAppendedSince(sinceMs: number, limit: number): Promise<AppendedPosition[]> {
      const entries = await log
        .find(
          { appendedAt: { $gte: dateOf(sinceMs) } },
          { projection: { _id: 0, projectId: 1, position: 1, appendedAt: 1 } },
        )
        .sort({ appendedAt: 1 })
        .limit(limit)
        .toArray();
      return entries.map(({ projectId, position, appendedAt }) => ({
        projectId,
        position,
        appendedAtMs: appendedAt.getTime(),
      }));
    },
    /** Kept entries appended in a time range, ascending. */
    async listBetween(
      projectId: ProjectId,
      { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs: number },
      limit: number,
    ): Promise<KeptEntry[]> {
      const appendedAt = { $gte: dateOf(sinceMs), $lte: dateOf(untilMs) };
      const kept = await log
        .find({ _id: idsAfter(projectId, 0), appendedAt }, { sort: { _id: 1 }, limit })
        .toArray();
      return kept.map(fromDoc);
    },
    /** The kept entry of an event. */
    async findEntry(projectId: ProjectId, eventId: EventId): Promise<KeptEntry | null> {
      const kept = await log.findOne({ projectId, 'event.id': eventId });
      return kept && fromDoc(kept);
    },
  };
}

function keptEntryOf(logEpoch: number, stored: LogEntryDocument): KeptEntry {
  const { projectId, position, event, appendedAt } = parseDocument(logDocuments.entry, stored);
  return { projectId, position, logEpoch, event, appendedAtMs: appendedAt.getTime() };
}

const positionDigits = 12;

/** Ids of a Project's entries sort by position. */
function idOf(projectId: ProjectId, position: number): string {
  return `${projectId}/${String(position).padStart(positionDigits, '0')}`;
}

/** `0` is the character after `/`. */
export function idsAfter(projectId: ProjectId, position: number): { $gt: string; $lt: string } {
  return { $gt: idOf(projectId, position), $lt: `${projectId}0` };
}
