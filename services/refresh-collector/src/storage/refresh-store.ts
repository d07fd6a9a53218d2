import { scopeKey } from '@inventory/contracts/scope';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { pushToOutbox } from '@inventory/mongo/outbox';
import { type Clock, dateOf } from '@inventory/runtime/clock';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import type { Collection, UpdateFilter } from 'mongodb';
import type { Refresh } from '../domain/refresh.ts';
import type { RefreshDocument, StagedPageRecord } from './collections.ts';
import { changingFields, dueFields, type KeepingTimes, toNewDocument } from './mapping.ts';
import { createRecentRefreshes } from './recent-refreshes.ts';
import { type StoredRefresh, toStored } from './stored-refresh.ts';

export type InsertResult =
  | { readonly result: 'inserted' }
  /** This attempt is stored already: its command came again. */
  | { readonly result: 'known' }
  /** Another attempt of the Project holds the Idempotency-Key. */
  | { readonly result: 'key_taken' };

/** What a step writes beside the refresh itself. */
export interface StepExtras {
  /** Wait in the document and leave through the outbox. */
  readonly messages?: readonly OutgoingMessage[];
  /** The page that completes a scan is recorded with its end. */
  readonly lastPage?: StagedPageRecord;
}

/** Reads and writes whole refreshes; every write is conditional on what was read. */
export interface RefreshStore {
  insert(refresh: Refresh, trace: TraceCarrier): Promise<InsertResult>;
  find(id: string): Promise<StoredRefresh | null>;
  /** What this replica last knew of it, without asking; may be out of date. */
  recall(id: string): StoredRefresh | null;
  remember(stored: StoredRefresh): void;
  findByKey(projectId: string, idempotencyKey: string): Promise<StoredRefresh | null>;
  pages(id: string): Promise<readonly StagedPageRecord[]>;
  /** Saves a step; false when the refresh changed meanwhile. */
  save(previous: StoredRefresh, next: Refresh, extras?: StepExtras): Promise<boolean>;
}

const withoutPages = { projection: { pages: 0, outbox: 0 } } as const;

export function createRefreshStore(
  refreshes: Collection<RefreshDocument>,
  clock: Clock,
  keeping: KeepingTimes,
): RefreshStore {
  const recent = createRecentRefreshes();
  const toDocument = ({ refresh, trace }: StoredRefresh) =>
    toNewDocument(refresh, scopeKey(refresh.scope), trace, clock.now(), keeping);

  async function insertNew(stored: StoredRefresh): Promise<boolean> {
    try {
      await refreshes.insertOne(toDocument(stored));
      recent.remember(stored);
      return true;
    } catch (error) {
      if (duplicateKeyOf(error)) return false;
      throw error;
    }
  }

  async function find(id: string): Promise<StoredRefresh | null> {
    const document = await refreshes.findOne({ _id: id }, withoutPages);
    const stored = document && toStored(document);
    if (stored) recent.remember(stored);
    return stored;
  }

  /**
   * A refused attempt gives its key back. Its document goes and comes again without the key: no
   * unique index is asked to forget a value by an update. A crash between leaves nothing, and the
   * command or outcome that comes again is refused again.
   */
  async function giveKeyBack(previous: StoredRefresh, refused: Refresh): Promise<boolean> {
    const { id, version } = previous.refresh;
    const { deletedCount } = await refreshes.deleteOne({ _id: id, version });
    if (deletedCount === 1) await insertNew({ refresh: refused, trace: previous.trace });
    return deletedCount === 1;
  }

  async function update(previous: StoredRefresh, next: Refresh, extras: StepExtras) {
    const { id, version } = previous.refresh;
    const { modifiedCount } = await refreshes.updateOne(
      { _id: id, version },
      updateTo(next, clock.now(), keeping, extras),
    );
    return modifiedCount === 1;
  }

  return {
    async insert(refresh, trace) {
      if (await insertNew({ refresh, trace })) return { result: 'inserted' };
      return { result: (await find(refresh.id)) ? 'known' : 'key_taken' };
    },
    find,
    recall: recent.recall,
    remember: recent.remember,
    async findByKey(projectId, idempotencyKey) {
      const key = { projectId, idempotencyKey } as object;
      const document = await refreshes.findOne(key, withoutPages);
      return document && toStored(document);
    },
    async pages(id) {
      const found = await refreshes.findOne({ _id: id }, { projection: { pages: 1 } });
      return found?.pages ?? [];
    },
    async save(previous, next, extras = {}) {
      const givesBack = previous.refresh.idempotencyKey !== next.idempotencyKey;
      const saved = givesBack
        ? await giveKeyBack(previous, next)
        : await update(previous, next, extras);
      if (saved) recent.remember({ refresh: next, trace: previous.trace });
      else recent.forget(next.id);
      return saved;
    },
  };
}

const needsPages: readonly Refresh['phase'][] = ['collecting', 'assembling'];

/** Only `collecting` and `assembling` still need the staged pages. */
function updateTo(
  next: Refresh,
  nowMs: number,
  keeping: KeepingTimes,
  { messages = [], lastPage }: StepExtras,
): UpdateFilter<RefreshDocument> {
  const due = dueFields(next, nowMs, keeping);
  const outbox = messages.length > 0 ? pushToOutbox(messages, new Date(nowMs)) : null;
  const pushed = { ...outbox?.$push, ...(lastPage ? { pages: lastPage } : {}) };
  return {
    $set: { ...changingFields(next), ...scanFieldsOf(next), ...due, asks: 0 },
    $unset: {
      ...(needsPages.includes(next.phase) ? {} : { pages: '' }),
      ...(due.askAt ? {} : { askAt: '' }),
    },
    $currentDate: { changedAt: true },
    ...(Object.keys(pushed).length > 0 ? { $push: pushed } : {}),
    ...(outbox ? { $min: outbox.$min } : {}),
  } as UpdateFilter<RefreshDocument>;
}

function scanFieldsOf({ scan }: Refresh): { readonly scan?: RefreshDocument['scan'] } {
  if (!scan) return {};
  const { startedAtMs, completedAtMs, ...fields } = scan;
  return {
    scan: {
      ...fields,
      startedAt: dateOf(startedAtMs),
      completedAt: completedAtMs === null ? null : dateOf(completedAtMs),
    },
  };
}
