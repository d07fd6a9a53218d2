import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { TypedCollection, TypedFilter } from '@inventory/mongo/typed-collection';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pendingIn } from '@inventory/work/work-field';
import { z } from 'zod';
import { identityStatuses } from '../egress/egress-identity.domain.ts';
import { type OpenPhase, openPhases, waitingPhases } from '../saga/refresh.domain.ts';
import {
  type AgedRefreshDocument,
  agedRefreshDocument,
  type RefreshDocument,
  resendQueues,
} from '../saga/refresh-document.ts';

const phaseCount = <const Phases extends readonly string[]>(phases: Phases) =>
  z.object({
    phase: z.enum(phases),
    count: z.int(),
    /** When the oldest of them was requested; null when there is none. */
    oldestAtMs: z.number().nullable(),
  });

/** The state of all refreshes and identities, whichever replica works on them. */
export const refreshSurvey = z.object({
  open: z.array(phaseCount(openPhases)).readonly(),
  stuck: z.array(phaseCount(waitingPhases)).readonly(),
  identities: z.array(z.object({ state: z.enum(identityStatuses), count: z.int() })).readonly(),
});
export type RefreshSurvey = z.infer<typeof refreshSurvey>;

export type RefreshSurveyStore = ReturnType<typeof createRefreshSurveyStore>;

const agedFields = { phase: 1, requestedAtMs: 1 } as const;
const stuckMax = 1_000;
/** Resent for more than a minute without an outcome. */
const resendsMin = 4;
const overdueMs = 60_000;

/** Counts of unfinished refreshes for operators; every query is by index and bounded. */
export function createRefreshSurveyStore(
  refreshes: TypedCollection<RefreshDocument>,
  clock: Clock,
  logger: Logger,
) {
  const parseAged = (found: readonly AgedRefreshDocument[]) =>
    readEach(found, (document) => parseDocument(agedRefreshDocument, document), logger);

  async function openIn(phase: OpenPhase): Promise<RefreshSurvey['open'][number]> {
    const [count, oldest] = await Promise.all([
      refreshes.countDocuments({ phase }),
      // All wait equally long for a worker: by this index the first is the oldest.
      refreshes.findOne({ phase }, { sort: { queueDeadlineMs: 1 }, projection: agedFields }),
    ]);
    return { ...countOf(phase, parseAged(oldest ? [oldest] : [])), count };
  }

  async function find(filter: TypedFilter<RefreshDocument>): Promise<AgedRefreshDocument[]> {
    const found = refreshes.find(filter).project<AgedRefreshDocument>(agedFields);
    return parseAged(await found.limit(stuckMax).toArray());
  }

  return {
    countOpen: (): Promise<RefreshSurvey['open']> => Promise.all(openPhases.map(openIn)),
    /** At most {@link stuckMax} of each kind are counted. */
    async countStuck(): Promise<RefreshSurvey['stuck']> {
      const before = clock.now() - overdueMs;
      const found = await Promise.all([
        find({ ...pendingIn(resendQueues), 'work.tries': { $gte: resendsMin } }),
        find({ phase: 'queued', queueDeadlineMs: { $lte: before } }),
        find({ phase: 'collecting', collectDeadlineMs: { $lte: before } }),
      ]);
      const byPhase = Map.groupBy(found.flat(), ({ phase }) => phase);
      return waitingPhases.map((phase) => countOf(phase, byPhase.get(phase) ?? []));
    },
  };
}

function countOf<Phase>(phase: Phase, found: readonly AgedRefreshDocument[]) {
  const times = found.map(({ requestedAtMs }) => requestedAtMs);
  return { phase, count: found.length, oldestAtMs: times.length > 0 ? Math.min(...times) : null };
}
