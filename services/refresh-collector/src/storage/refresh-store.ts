import { scopeKey } from '@inventory/contracts/scope';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { pushToOutbox } from '@inventory/mongo/outbox';
import type { Clock } from '@inventory/runtime/clock';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import type { Collection, UpdateFilter } from 'mongodb';
import type { Refresh } from '../domain/refresh.ts';
import type { Collections, RefreshDocument, StagedPageRecord } from './collections.ts';
import {
  changingFields,
  dueFields,
  fromDocument,
  type KeepingTimes,
  toNewDocument,
} from './mapping.ts';

/** A refresh and the trace of the request that asked for it. */
export interface StoredRefresh {
  readonly refresh: Refresh;
  readonly trace: TraceCarrier;
}

export type InsertResult =
  | { readonly result: 'inserted' }
  /** This attempt is stored already: its command came again. */
  | { readonly result: 'known' }
  /** Another attempt of the Project holds the Idempotency-Key. */
  | { readonly result: 'key_taken' };

/** Reads and writes whole refreshes; every write is conditional on what was read. */
export interface RefreshStore {
  insert(refresh: Refresh, trace: TraceCarrier): Promise<InsertResult>;
  find(id: string): Promise<StoredRefresh | null>;
  findByKey(projectId: string, idempotencyKey: string): Promise<StoredRefresh | null>;
  pages(id: string): Promise<readonly StagedPageRecord[]>;
  /**
   * Saves a step; false when the refresh changed meanwhile. Messages given here wait in the
   * document and leave through the outbox.
   */
  save(previous: Refresh, next: Refresh, messages?: readonly OutgoingMessage[]): Promise<boolean>;
}

const withoutPages = { projection: { pages: 0, outbox: 0 } } as const;

/**
 * Live refreshes and refused attempts are two collections: the unique index over Project and
 * Idempotency-Key spans live ones only, and an attempt gives its key back by leaving them.
 */
export function createRefreshStore(
  { refreshes, refusedAttempts }: Pick<Collections, 'refreshes' | 'refusedAttempts'>,
  clock: Clock,
  keeping: KeepingTimes,
): RefreshStore {
  const toDocument = (refresh: Refresh, trace: TraceCarrier) =>
    toNewDocument(refresh, scopeKey(refresh.scope), trace, clock.now(), keeping);

  async function findLive(id: string): Promise<StoredRefresh | null> {
    return toStored(await refreshes.findOne({ _id: id }, withoutPages));
  }

  async function findRefused(id: string): Promise<StoredRefresh | null> {
    return toStored(await refusedAttempts.findOne({ _id: id }));
  }

  async function insertLive(refresh: Refresh, trace: TraceCarrier): Promise<InsertResult> {
    const inserted = await insertNew(refreshes, toDocument(refresh, trace));
    if (!inserted) return { result: (await findLive(refresh.id)) ? 'known' : 'key_taken' };
    // A tombstone may have been left meanwhile: who writes second sees the first.
    if (!(await findRefused(refresh.id))) return { result: 'inserted' };
    await refreshes.deleteOne({ _id: refresh.id, version: refresh.version });
    return { result: 'known' };
  }

  /** The refusal is written before the live attempt goes: a crash between repeats both. */
  async function refuse(previous: Refresh, next: Refresh): Promise<boolean> {
    const stored = await findLive(previous.id);
    if (stored?.refresh.version !== previous.version) return false;
    await insertNew(refusedAttempts, toDocument(next, stored.trace));
    const { deletedCount } = await refreshes.deleteOne({
      _id: previous.id,
      version: previous.version,
    });
    return deletedCount === 1;
  }

  return {
    async insert(refresh, trace) {
      if (refresh.phase !== 'refused') return insertLive(refresh, trace);
      const inserted = await insertNew(refusedAttempts, toDocument(refresh, trace));
      return { result: inserted ? 'inserted' : 'known' };
    },
    find: async (id) => (await findLive(id)) ?? findRefused(id),
    findByKey: async (projectId, idempotencyKey) =>
      toStored(await refreshes.findOne({ projectId, idempotencyKey } as object, withoutPages)),
    async pages(id) {
      const found = await refreshes.findOne({ _id: id }, { projection: { pages: 1 } });
      return found?.pages ?? [];
    },
    async save(previous, next, messages = []) {
      if (next.phase === 'refused') return refuse(previous, next);
      const now = clock.now();
      const update = updateTo(next, dueFields(next, now, keeping));
      const outbox = messages.length > 0 ? pushToOutbox(messages, new Date(now)) : {};
      const { modifiedCount } = await refreshes.updateOne(
        { _id: previous.id, version: previous.version },
        { ...update, ...outbox } as UpdateFilter<RefreshDocument>,
      );
      return modifiedCount === 1;
    },
  };
}

function toStored(document: RefreshDocument | null): StoredRefresh | null {
  return document && { refresh: fromDocument(document), trace: document.trace };
}

async function insertNew(
  collection: Collection<RefreshDocument>,
  document: RefreshDocument,
): Promise<boolean> {
  try {
    await collection.insertOne(document);
    return true;
  } catch (error) {
    if (duplicateKeyOf(error)) return false;
    throw error;
  }
}

const needsPages: readonly Refresh['phase'][] = ['collecting', 'assembling'];

/** Only `collecting` and `assembling` still need the staged pages. */
function updateTo(next: Refresh, due: ReturnType<typeof dueFields>) {
  const scanFields = next.scan
    ? {
        'scan.epoch': next.scan.epoch,
        'scan.completedAt':
          next.scan.completedAtMs === null ? null : new Date(next.scan.completedAtMs),
      }
    : {};
  return {
    $set: { ...changingFields(next), ...scanFields, ...due, asks: 0 },
    $unset: {
      ...(needsPages.includes(next.phase) ? {} : { pages: '' }),
      ...(due.askAt ? {} : { askAt: '' }),
    },
  };
}
