import type { ProjectId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { createInvalidatedCache } from '@inventory/runtime/invalidated-cache';
import type { Logger } from '@inventory/runtime/logger';

/** Whether Projects may be sent their events now. */
export interface ProjectEventAccess {
  /**
   * The answer of the gateway, cached. While the gateway is unavailable its last answer holds for
   * five minutes; after that nothing is sent.
   */
  mayHaveEvents(projectId: ProjectId): Promise<boolean>;
  /** A Project changed, or with null all of them: the gateway is asked again. */
  invalidate(projectId: ProjectId | null): void;
}

interface ProjectEventAccessDeps {
  readonly lookUp: (projectId: ProjectId) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const freshMs = 30_000;
const usableMs = 5 * 60_000;
/** Pause after a failed lookup, in which no delivery waits for another one. */
const retryAfterMs = 5_000;
const projectsMax = 10_000;

export function createProjectEventAccess(deps: ProjectEventAccessDeps): ProjectEventAccess {
  const { lookUp, clock, logger } = deps;
  const answers = createInvalidatedCache<boolean>({
    load: (projectId) => lookUp(projectId as ProjectId),
    freshMs,
    entriesMax: projectsMax,
    clock,
  });
  let retryAtMs = 0;

  function lastAnswer(projectId: ProjectId): boolean {
    const last = answers.peek(projectId);
    return last !== undefined && clock.now() - last.loadedAtMs <= usableMs && last.value;
  }

  return {
    async mayHaveEvents(projectId) {
      if (clock.now() < retryAtMs && !answers.isFresh(projectId)) return lastAnswer(projectId);
      try {
        return (await answers.get(projectId)) === true;
      } catch (error) {
        retryAtMs = clock.now() + retryAfterMs;
        logger.warn({ err: error, project_id: projectId }, 'project access lookup failed');
        return lastAnswer(projectId);
      }
    },
    invalidate: (projectId) =>
      answers.invalidate((_, id) => projectId === null || id === projectId),
  };
}
