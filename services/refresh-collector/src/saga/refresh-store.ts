import type { ProjectId } from '@inventory/contracts/ids';
import { retryOnce } from '@inventory/mongo/many-documents';
import { createSharedInserts } from '@inventory/mongo/shared-commands';
import type { TypedCollection, TypedUpdate } from '@inventory/mongo/typed-collection';
import type { Clock } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import { LRUCache } from 'lru-cache';
import type { Refresh } from './refresh.domain.ts';
import {
  claimIn,
  claimsOn,
  derivedFields,
  expiryAt,
  type KeyClaim,
  newDocument,
  type RefreshDocument,
  type RefreshTimes,
  refreshIn,
  type StagedPageRecord,
  stagedPagesIn,
  storedClaim,
  storedPage,
} from './refresh-document.ts';

/** An Idempotency-Key of a Project. */
export interface KeyState {
  /** The attempt that holds the key; null while it is free. */
  readonly holder: Refresh | null;
  /** The generation under which a new attempt claims it. */
  readonly keyGeneration: number;
}

export type RefreshStore = ReturnType<typeof createRefreshStore>;

const refreshesCachedMax = 5_000;
const writesPerCommand = 200;
const withoutPages = { projection: { pages: 0 } } as const;

/** Reads and writes whole refreshes; every write is conditional on what was read. */
export function createRefreshStore(
  refreshes: TypedCollection<RefreshDocument>,
  clock: Clock,
  times: RefreshTimes,
) {
  const cached = new LRUCache<string, Refresh>({ max: refreshesCachedMax });
  const cache = (refresh: Refresh) => void cached.set(refresh.refreshId, refresh);
  const inserts = createSharedInserts(refreshes, writesPerCommand);
  const appended = createAppendedEvents(refreshes, clock, times);

  /**
   * A refused attempt occupies its generation of the key while it is stored. Its expiry is extended
   * before a newer attempt is inserted: once expired, it would leave its generation to a third one.
   */
  async function extendRefused(projectId: ProjectId, claim: KeyClaim): Promise<boolean> {
    const { matchedCount } = await refreshes.updateOne(
      { projectId, keyClaim: storedClaim(claim), phase: 'refused' },
      { $set: { expireAt: expiryAt(clock.now() + times.retention.refusedMs) } },
    );
    return matchedCount === 1;
  }

  async function find(id: string): Promise<Refresh | null> {
    const document = await refreshes.findOne({ _id: id }, withoutPages);
    const refresh = document && refreshIn(document);
    if (refresh) cache(refresh);
    return refresh;
  }

  return {
    /** False when it is stored already, or another attempt claimed this generation of its key. */
    async insertRefresh(refresh: Refresh, keyGeneration: number = 0): Promise<boolean> {
      const { projectId, idempotencyKey: key } = refresh;
      const claim = key === null ? null : { key, generation: keyGeneration };
      if (claim && claim.generation > 0) {
        const refused = { key: claim.key, generation: claim.generation - 1 };
        if (!(await extendRefused(projectId, refused))) return false;
      }
      const inserted = await inserts.add(newDocument(refresh, claim, clock.now(), times));
      if (inserted) cache(refresh);
      return inserted;
    },
    findRefresh: find,
    /**
     * As this replica last read or wrote it; may be out of date. A write that is based on it is
     * conditional on its version.
     */
    cachedRefresh: (id: string): Refresh | null => cached.get(id) ?? null,
    cacheRefresh: cache,
    async readKeyState(projectId: ProjectId, idempotencyKey: string): Promise<KeyState> {
      const newest = await refreshes.findOne(
        { projectId, keyClaim: claimsOn(idempotencyKey) },
        { ...withoutPages, sort: { keyClaim: -1 } },
      );
      if (!newest?.keyClaim) return { holder: null, keyGeneration: 0 };
      const { generation } = claimIn(newest.keyClaim);
      return {
        holder: newest.phase === 'refused' ? null : refreshIn(newest),
        keyGeneration: generation + 1,
      };
    },
    /** Null once its scan is decided. */
    async readStagedPages(id: string): Promise<readonly StagedPageRecord[] | null> {
      const found = await refreshes.findOne(
        { _id: id, phase: { $in: [...needsPages] } },
        { projection: { pages: 1 } },
      );
      return found && stagedPagesIn(found);
    },
    /** Saves a step, with the page that it records; false when the refresh changed meanwhile. */
    async saveStep(previous: Refresh, next: Refresh, page?: StagedPageRecord): Promise<boolean> {
      const { refreshId: _id, projectId, version } = previous;
      const update = updateTo(next, clock.now(), times, page);
      const { modifiedCount } = await refreshes.updateOne({ _id, projectId, version }, update);
      const saved = modifiedCount === 1;
      if (saved) cache(next);
      else cached.delete(_id);
      return saved;
    },
    /** Records, with others, that the event of a completed refresh is in the log. */
    recordAppended: appended.add,
  };
}

const needsPages: readonly Refresh['phase'][] = ['collecting', 'assembling'];

/** Only `collecting` and `assembling` still need the staged pages. */
function updateTo(
  next: Refresh,
  nowMs: number,
  times: RefreshTimes,
  page: StagedPageRecord | undefined,
): TypedUpdate<RefreshDocument> {
  const derived = derivedFields(next, nowMs, times);
  return {
    $set: { ...next, ...derived },
    $unset: {
      ...(needsPages.includes(next.phase) ? {} : { pages: '' }),
      ...(derived.work ? {} : { work: '' }),
    },
    $currentDate: { changedAt: true },
    ...(page ? { $push: { pages: storedPage(page) } } : {}),
  };
}

/** Nothing waits for the record: it ends resends that begin after ten seconds. */
const batchWindowMs = 200;
const refreshesPerCommand = 500;
const waitingMax = 100_000;

/**
 * Records that the events of completed refreshes are in the log, as the saga decides on
 * `event_appended`: the same write for each of them. One that is recorded already stays as it is.
 */
export function createAppendedEvents(
  refreshes: TypedCollection<RefreshDocument>,
  clock: Clock,
  { retention }: RefreshTimes,
) {
  return createBatcher<string, void>({
    batchWindowMs,
    itemsMax: refreshesPerCommand,
    waitingMax,
    async flush(ids) {
      const expireAt = expiryAt(clock.now() + retention.terminalMs);
      await retryOnce(() =>
        refreshes.updateMany(
          { _id: { $in: [...ids] }, phase: 'completed', eventAppended: false },
          {
            $set: { eventAppended: true, expireAt },
            $unset: { work: '' },
            $inc: { version: 1 },
          },
        ),
      );
      return ids.map(() => undefined);
    },
  });
}
