import type { ProjectId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { createInvalidatedCache } from '@inventory/runtime/invalidated-cache';
import type { Logger } from '@inventory/runtime/logger';

/** `unknown`: the gateway has been unavailable for longer than its last response is valid. */
export type EventAccess = 'allowed' | 'refused' | 'unknown';

const freshMs = 30_000;
const usableMs = 5 * 60_000;
/** Pause after a failed lookup, during which no delivery waits for another lookup. */
const retryAfterMs = 5_000;
const projectsMax = 10_000;

/** Whether Projects may receive their events. */
export type ProjectEventAccess = ReturnType<typeof createProjectEventAccess>;

export function createProjectEventAccess(deps: {
  readonly findEventAccess: (projectId: ProjectId) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}) {
  const { findEventAccess, clock, logger } = deps;
  const responses = createInvalidatedCache<boolean>({
    load: (projectId) => findEventAccess(projectId as ProjectId),
    freshMs,
    entriesMax: projectsMax,
    clock,
  });
  let failedAtMs = Number.NEGATIVE_INFINITY;

  function lastResponse(projectId: ProjectId): EventAccess {
    const last = responses.peek(projectId);
    return last && isWithin(usableMs, last.loadedAtMs) ? accessOf(last.value) : 'unknown';
  }

  /** Also false where the clock was set back. */
  function isWithin(ms: number, sinceMs: number): boolean {
    const ageMs = clock.now() - sinceMs;
    return ageMs >= 0 && ageMs < ms;
  }

  return {
    /**
     * The response of the gateway, cached. While the gateway is unavailable its last response is
     * valid for five minutes; after that nothing is sent.
     */
    async find(projectId: ProjectId): Promise<EventAccess> {
      const isPausing = isWithin(retryAfterMs, failedAtMs);
      if (isPausing && !responses.isFresh(projectId)) return lastResponse(projectId);
      try {
        return accessOf((await responses.get(projectId)) === true);
      } catch (error) {
        failedAtMs = clock.now();
        logger.warn({ err: error, projectId }, 'project access lookup failed');
        return lastResponse(projectId);
      }
    },
    /** Drops the cached response of a Project, or of all with null. */
    invalidate: (projectId: ProjectId | null): void =>
      responses.invalidate((_, id) => projectId === null || id === projectId),
  };
}

const accessOf = (mayHave: boolean): EventAccess => (mayHave ? 'allowed' : 'refused');
