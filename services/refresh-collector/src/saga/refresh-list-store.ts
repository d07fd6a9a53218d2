import type { ProjectId, WatchId } from '@inventory/contracts/ids';
import type { RefreshOutcome, RefreshState } from '@inventory/contracts/vocabulary';
import { readEach, readFirst } from '@inventory/mongo/parse-document';
import type { TypedCollection } from '@inventory/mongo/typed-collection';
import type { Logger } from '@inventory/runtime/logger';
import { phasesShownAs, type Refresh } from './refresh.domain.ts';
import { type RefreshDocument, refreshIn } from './refresh-document.ts';

export interface RefreshListQuery {
  readonly projectId: ProjectId;
  /** Empty: any state. */
  readonly states: readonly RefreshState[];
  /** Empty: any refresh. */
  readonly refreshIds: readonly string[];
  /** Empty or absent: any outcome, and none. */
  readonly outcomes?: readonly RefreshOutcome[];
  /** Only those of the inventory with this key. */
  readonly inventory?: string | undefined;
  /** Only those that were requested then or later, and before then. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only the runs of this watch. */
  readonly watchId?: WatchId | undefined;
  /** Only those that cost something; with false, only those that are settled and cost nothing. */
  readonly isCharged?: boolean | undefined;
  readonly limit: number;
  /** Only older ones than this. */
  readonly before: { readonly requestedAtMs: number; readonly refreshId: string } | null;
}

export interface ListedRefreshes {
  readonly items: readonly Refresh[];
  readonly hasMore: boolean;
}

export type RefreshListStore = ReturnType<typeof createRefreshListStore>;

const countMax = 1_000;

/** The index that leaves refused attempts out. */
const byPhase = 'project_phase_newest';
const byInventory = 'project_inventory_newest';
/** The index of completed refreshes. */
const byOutcome = 'project_outcome_newest';
const byWatch = 'watch_newest';
const byWaiting = 'waiting_for_observation';

const shownPhases = (
  ['accepted', 'queued', 'collecting', 'settling', 'completed'] as const
).flatMap(phasesShownAs);

/** Lists and counts of refreshes. A Project's are newest first; refused attempts are never listed. */
export function createRefreshListStore(
  refreshes: TypedCollection<RefreshDocument>,
  logger: Logger,
) {
  return {
    async listRefreshes({
      projectId,
      states,
      refreshIds,
      outcomes = [],
      limit,
      before,
      ...of
    }: RefreshListQuery): Promise<ListedRefreshes> {
      const ofStates = states.length > 0 ? states.flatMap(phasesShownAs) : shownPhases;
      // An outcome is shown once it is final.
      const phases = outcomes.length > 0 ? ofStates.filter(isCompleted) : ofStates;
      if (phases.length === 0) return { items: [], hasMore: false };
      const filter = {
        projectId,
        phase: { $in: phases },
        ...(refreshIds.length > 0 ? { _id: { $in: [...refreshIds] } } : {}),
        ...(outcomes.length > 0 ? { outcome: { $in: [...outcomes] } } : {}),
        ...(of.inventory ? { scopeKey: of.inventory } : {}),
        ...(of.watchId ? { watchId: of.watchId } : {}),
        ...(of.isCharged === undefined ? {} : { 'billing.charged': of.isCharged ? { $gt: 0 } : 0 }),
        ...requestedWithin(of.from, of.to, before),
      };
      const hint = refreshIds.length > 0 ? {} : { hint: indexFor(of, outcomes) };
      const newest = refreshes
        .find(filter, { projection: { pages: 0 }, ...hint })
        .sort({ requestedAtMs: -1, _id: -1 });
      const read = (document: RefreshDocument) => [refreshIn(document)];
      const found = await readFirst(newest, limit + 1, read, logger);
      return { items: found.slice(0, limit), hasMore: found.length > limit };
    },
    /** Queued refreshes of an inventory that may take an observation instead of a scan. */
    async findWaiting(inventory: string): Promise<Refresh[]> {
      const found = await refreshes
        .find(
          {
            scopeKey: inventory,
            phase: 'queued',
            terminal: false,
            'freshness.maxAgeSeconds': { $exists: true },
          },
          { projection: { pages: 0 }, hint: byWaiting },
        )
        .toArray();
      return readEach(found, refreshIn, logger);
    },
    /** Whether a scan of this inventory has ended and is not saved yet. */
    async isBeingSaved(inventory: string): Promise<boolean> {
      const saving = { phase: 'assembling', scopeKey: inventory } as const;
      return (await refreshes.findOne(saving, { projection: { _id: 1 } })) !== null;
    },
    /** Refreshes of an inventory whose scan has not ended. */
    async findUnread(inventory: string): Promise<Refresh[]> {
      const found = await refreshes
        .find(
          { phase: { $in: ['accepted', 'queued', 'collecting'] }, scopeKey: inventory },
          { projection: { pages: 0 }, hint: 'phase_oldest' },
        )
        .toArray();
      return readEach(found, refreshIn, logger);
    },
    /** Open refreshes of an account that were requested earlier; at most {@link countMax}. */
    countOpenBefore: (accountId: Refresh['accountId'], requestedAtMs: number): Promise<number> =>
      refreshes.countDocuments(
        { terminal: false, accountId, requestedAtMs: { $lt: requestedAtMs } },
        { limit: countMax },
      ),
    /** Whether no other account has a stored refresh. */
    async isOnlyAccount(accountId: Refresh['accountId']): Promise<boolean> {
      // Every value of `terminal`, for its index.
      const other = { terminal: { $in: [true, false] }, accountId: { $ne: accountId } };
      return (await refreshes.findOne(other, { projection: { _id: 1 } })) === null;
    },
  };
}

const isCompleted = (phase: Refresh['phase']): boolean => phase === 'completed';

function indexFor(
  { watchId, inventory }: Pick<RefreshListQuery, 'watchId' | 'inventory'>,
  outcomes: readonly RefreshOutcome[],
): string {
  if (watchId) return byWatch;
  if (inventory) return byInventory;
  return outcomes.length > 0 ? byOutcome : byPhase;
}

/** A range of the index, and the rule for those of the same time as `before`. */
function requestedWithin(
  from: number | undefined,
  to: number | undefined,
  before: RefreshListQuery['before'],
) {
  const range = {
    ...(from === undefined ? {} : { $gte: from }),
    ...(to === undefined ? {} : { $lt: to }),
    ...(before ? { $lte: before.requestedAtMs } : {}),
  };
  if (Object.keys(range).length === 0) return {};
  if (!before) return { requestedAtMs: range };
  const { requestedAtMs, refreshId } = before;
  const older = [{ requestedAtMs: { $lt: requestedAtMs } }, { _id: { $lt: refreshId } }];
  return { requestedAtMs: range, $or: older };
}
