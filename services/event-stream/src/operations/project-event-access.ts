import type { ProjectId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';

/** Whether Projects may be sent their events now. */
export interface ProjectEventAccess {
  /**
   * What the owner of Projects says, or said last: while it does not answer, what is known counts
   * for a few minutes more, and then nothing is sent.
   */
  mayHaveEvents(projectId: ProjectId): Promise<boolean>;
  /** Something about a Project changed, or about all of them: ask again. */
  forget(projectId: ProjectId | null): void;
}

interface ProjectEventAccessOptions {
  readonly ask: (projectId: ProjectId) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Known {
  readonly events: boolean;
  readonly atMs: number;
  readonly isFresh: boolean;
}

const freshMs = 30_000;
const usableMs = 5 * 60_000;
/** After a try in vain nobody is kept waiting by another for so long. */
const restMs = 5_000;
const knownMax = 10_000;

export function createProjectEventAccess(options: ProjectEventAccessOptions): ProjectEventAccess {
  const { ask, clock, logger } = options;
  const known = new Map<ProjectId, Known>();
  const asking = new Map<ProjectId, Promise<boolean>>();
  let changes = 0;
  let retryAtMs = 0;

  async function readAccess(projectId: ProjectId): Promise<boolean> {
    const askedAtMs = clock.now();
    const changesBefore = changes;
    try {
      const events = await ask(projectId);
      // Told to ask again meanwhile: this answer may be from before the change.
      const isFresh = changes === changesBefore;
      if (known.size >= knownMax) known.clear();
      known.set(projectId, { events, atMs: askedAtMs, isFresh });
      return events;
    } catch (error) {
      retryAtMs = clock.now() + restMs;
      logger.warn({ err: error, project_id: projectId }, 'the standing of a Project is not known');
      return lastKnown(projectId);
    }
  }

  function lastKnown(projectId: ProjectId): boolean {
    const last = known.get(projectId);
    return last !== undefined && clock.now() - last.atMs <= usableMs && last.events;
  }

  return {
    async mayHaveEvents(projectId) {
      const last = known.get(projectId);
      if (last?.isFresh && clock.now() - last.atMs <= freshMs) return last.events;
      if (clock.now() < retryAtMs) return lastKnown(projectId);
      const asked = asking.get(projectId) ?? readAccess(projectId);
      asking.set(projectId, asked);
      try {
        return await asked;
      } finally {
        asking.delete(projectId);
      }
    },
    forget(projectId) {
      changes += 1;
      const stale = projectId === null ? [...known.keys()] : [projectId];
      for (const id of stale) {
        const last = known.get(id);
        if (last) known.set(id, { ...last, isFresh: false });
      }
    },
  };
}
