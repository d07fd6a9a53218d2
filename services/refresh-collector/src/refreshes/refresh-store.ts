import type { ProjectId } from '@inventory/contracts/ids';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { pushToOutbox } from '@inventory/mongo/outbox';
import type { TypedCollection, TypedUpdate } from '@inventory/mongo/typed-collection';
import { type Clock, dateOf } from '@inventory/runtime/clock';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import type { RefreshDocument, StagedPageRecord } from '../collections.ts';
import { claimsOn, fromStoredClaim, type KeyClaim, toStoredClaim } from './key-claim-mapping.ts';
import { createRecentRefreshes } from './recent-refreshes-store.ts';
import type { Refresh } from './refresh.domain.ts';
import {
  changingFields,
  dueFields,
  type KeepingTimes,
  type StoredRefresh,
  toNewDocument,
  toStored,
} from './refresh-mapping.ts';

/** An Idempotency-Key of a Project. */
export interface KeyState {
  /** The attempt that holds the key; null while it is free. */
  readonly holder: StoredRefresh | null;
  /** The turn at which a new attempt claims it. */
  readonly turn: number;
}

/** What a step writes beside the refresh itself. */
export interface StepExtras {
  /** Wait in the document and leave through the outbox. */
  readonly messages?: readonly OutgoingMessage[];
  /** The page that completes a scan is recorded with its end. */
  readonly lastPage?: StagedPageRecord;
}

/** Reads and writes whole refreshes; every write is conditional on what was read. */
export interface RefreshStore {
  /** False when it is stored already, or another attempt claimed its key at this turn. */
  insert(refresh: Refresh, trace: TraceCarrier, keyTurn?: number): Promise<boolean>;
  find(id: string): Promise<StoredRefresh | null>;
  /** What this replica last knew of it, without asking; may be out of date. */
  recall(id: string): StoredRefresh | null;
  remember(stored: StoredRefresh): void;
  findKey(projectId: ProjectId, idempotencyKey: string): Promise<KeyState>;
  pages(id: string): Promise<readonly StagedPageRecord[]>;
  /** Saves a step; false when the refresh changed meanwhile. */
  save(previous: StoredRefresh, next: Refresh, extras?: StepExtras): Promise<boolean>;
}

const withoutPages = { projection: { pages: 0, outbox: 0 } } as const;

export function createRefreshStore(
  refreshes: TypedCollection<RefreshDocument>,
  clock: Clock,
  keeping: KeepingTimes,
): RefreshStore {
  const recent = createRecentRefreshes();

  /**
   * A refused attempt occupies its turn as long as it is stored. It is kept for a newer attempt to
   * be inserted after it: expired meanwhile, it would leave its turn to a third one.
   */
  async function keepRefused(projectId: ProjectId, claim: KeyClaim): Promise<boolean> {
    const { matchedCount } = await refreshes.updateOne(
      { projectId, idempotencyKey: toStoredClaim(claim), phase: 'refused' },
      { $set: { expireAt: new Date(clock.now() + keeping.keepRefusedMs) } },
    );
    return matchedCount === 1;
  }

  async function find(id: string): Promise<StoredRefresh | null> {
    const document = await refreshes.findOne({ _id: id }, withoutPages);
    const stored = document && toStored(document);
    if (stored) recent.remember(stored);
    return stored;
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
    async insert(refresh, trace, keyTurn = 0) {
      const { projectId, idempotencyKey: key } = refresh;
      const claim = key === null ? null : { key, turn: keyTurn };
      if (claim && claim.turn > 0) {
        const refused = { key: claim.key, turn: claim.turn - 1 };
        if (!(await keepRefused(projectId, refused))) return false;
      }
      try {
        await refreshes.insertOne(toNewDocument(refresh, claim, trace, clock.now(), keeping));
      } catch (error) {
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
      recent.remember({ refresh, trace });
      return true;
    },
    find,
    recall: recent.recall,
    remember: recent.remember,
    async findKey(projectId, idempotencyKey) {
      const newest = await refreshes.findOne(
        { projectId, idempotencyKey: claimsOn(idempotencyKey) },
        { ...withoutPages, sort: { idempotencyKey: -1 } },
      );
      if (!newest?.idempotencyKey) return { holder: null, turn: 0 };
      const { turn } = fromStoredClaim(newest.idempotencyKey);
      return { holder: newest.phase === 'refused' ? null : toStored(newest), turn: turn + 1 };
    },
    async pages(id) {
      const found = await refreshes.findOne({ _id: id }, { projection: { pages: 1 } });
      return found?.pages ?? [];
    },
    async save(previous, next, extras = {}) {
      const saved = await update(previous, next, extras);
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
): TypedUpdate<RefreshDocument> {
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
  };
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
