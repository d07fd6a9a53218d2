import type { TypedCollection, TypedFilter } from '@inventory/mongo/typed-collection';
import { type Clock, dateOf } from '@inventory/runtime/clock';
import type { RefreshDocument } from '../collections.ts';
import { type OpenPhase, openPhases, type WaitingPhase, waitingPhases } from './refresh.domain.ts';

export interface PhaseCount<Phase> {
  readonly phase: Phase;
  readonly count: number;
  /** When the oldest of them was requested; null when there is none. */
  readonly oldestAtMs: number | null;
}

/**
 * Counts of unfinished refreshes for operators; every query is by index and bounded. It reads two
 * fields of up to thousands of documents, which are not parsed.
 */
export interface RefreshSurveyStore {
  countOpen(): Promise<PhaseCount<OpenPhase>[]>;
  /** At most {@link stuckMax} of each kind are counted. */
  countStuck(): Promise<PhaseCount<WaitingPhase>[]>;
}

type Stuck = Pick<RefreshDocument, 'phase' | 'requestedAt'>;

const stuckMax = 1_000;
/** Resent for more than a minute without an outcome. */
const resendsMin = 5;
const overdueMs = 60_000;

export function createRefreshSurveyStore(
  refreshes: TypedCollection<RefreshDocument>,
  clock: Clock,
): RefreshSurveyStore {
  async function openIn(phase: OpenPhase): Promise<PhaseCount<OpenPhase>> {
    const [count, oldest] = await Promise.all([
      refreshes.countDocuments({ phase }),
      // All wait equally long for a worker: by this index the first is the oldest.
      refreshes.findOne({ phase }, { sort: { queueDeadline: 1 }, projection: { requestedAt: 1 } }),
    ]);
    return { phase, count, oldestAtMs: oldest?.requestedAt.getTime() ?? null };
  }

  function find(filter: TypedFilter<RefreshDocument>): Promise<Stuck[]> {
    return refreshes
      .find(filter)
      .project<Stuck>({ _id: 0, phase: 1, requestedAt: 1 })
      .limit(stuckMax)
      .toArray();
  }

  return {
    countOpen: () => Promise.all(openPhases.map(openIn)),
    async countStuck() {
      const before = dateOf(clock.now() - overdueMs);
      const found = await Promise.all([
        find({ askAt: { $exists: true }, asks: { $gte: resendsMin } }),
        find({ phase: 'queued', queueDeadline: { $lte: before } }),
        find({ phase: 'collecting', collectDeadline: { $lte: before } }),
      ]);
      const byPhase = Map.groupBy(found.flat(), ({ phase }) => phase);
      return waitingPhases.map((phase) => countOf(phase, byPhase.get(phase) ?? []));
    },
  };
}

function countOf(phase: WaitingPhase, found: readonly Stuck[]): PhaseCount<WaitingPhase> {
  const times = found.map(({ requestedAt }) => requestedAt.getTime());
  return { phase, count: found.length, oldestAtMs: times.length > 0 ? Math.min(...times) : null };
}
