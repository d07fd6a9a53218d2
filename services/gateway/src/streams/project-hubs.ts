import type { ProjectId } from '@inventory/contracts/ids';
import { logHeadsMax } from '@inventory/contracts/internal/event-log';
import {
  type AppendedEvent,
  createProjectHub,
  type HubDeps,
  type ProjectHub,
} from './project-hub.ts';

/** The hubs of all Projects that are followed on this replica. */
export interface ProjectHubs {
  /** The Project's hub, made and brought up to date when nobody followed it before. */
  open(projectId: ProjectId): Promise<ProjectHub>;
  announced(projectId: ProjectId, appended: AppendedEvent): void;
  /**
   * Reads the heads of Projects with recently appended events, which finds lost announcements, and
   * drops hubs without readers. Its cost follows events, not Projects.
   */
  sweep(): Promise<void>;
  readonly size: number;
}

export interface HubsDeps extends HubDeps {
  /** Frames of all hubs together. */
  readonly bytesMax: number;
  readonly idleMs: number;
}

interface Kept {
  readonly hub: ProjectHub;
  lastFollowedMs: number;
}

/** A hub on its way collects what is announced meanwhile: its head may be older than that. */
interface Opening {
  readonly missed: AppendedEvent[];
  readonly opened: Promise<ProjectHub>;
}

const missedMax = 1_000;

export function createProjectHubs(deps: HubsDeps): ProjectHubs {
  const { log, clock, bytesMax, idleMs } = deps;
  const kept = new Map<ProjectId, Kept>();
  const opening = new Map<ProjectId, Opening>();
  /** Where the next read of appended heads starts; null before the first. */
  let since: string | null = null;

  async function make(projectId: ProjectId, missed: AppendedEvent[]): Promise<ProjectHub> {
    try {
      const { log_epoch: logEpoch, heads } = await log.heads([projectId]);
      const hub = createProjectHub(deps, projectId, {
        logEpoch,
        head: heads[0]?.position ?? 0,
      });
      for (const appended of missed) hub.announced(appended);
      kept.set(projectId, { hub, lastFollowedMs: clock.now() });
      return hub;
    } finally {
      opening.delete(projectId);
    }
  }

  function open(projectId: ProjectId): Promise<ProjectHub> {
    const known = kept.get(projectId);
    if (known) {
      known.lastFollowedMs = clock.now();
      return Promise.resolve(known.hub);
    }
    const running = opening.get(projectId);
    if (running) return running.opened;
    const missed: AppendedEvent[] = [];
    const started = { missed, opened: make(projectId, missed) };
    opening.set(projectId, started);
    return started.opened;
  }

  /** The largest rings give first: what is dropped is read from the log by whoever needs it. */
  function keepWithinBudget(): void {
    const hubs = [...kept.values()].map(({ hub }) => hub);
    let bytes = hubs.reduce((sum, { ring }) => sum + ring.bytes, 0);
    for (const { ring } of hubs.toSorted((left, right) => right.ring.bytes - left.ring.bytes)) {
      if (bytes <= bytesMax) return;
      const before = ring.bytes;
      ring.trim();
      bytes -= before - ring.bytes;
    }
  }

  /** A restored log has no recent entries of most Projects: their heads are read once. */
  async function readHeadsOfEarlierEpochs(logEpoch: number): Promise<void> {
    const earlier = [...kept].filter(([, { hub }]) => hub.logEpoch < logEpoch).map(([id]) => id);
    for (let from = 0; from < earlier.length; from += logHeadsMax) {
      const { log_epoch, heads } = await log.heads(earlier.slice(from, from + logHeadsMax));
      for (const { project_id, position } of heads) {
        kept.get(project_id)?.hub.headIs(log_epoch, position);
      }
    }
  }

  function dropIdle(): void {
    const nowMs = clock.now();
    for (const [projectId, one] of kept) {
      if (one.hub.readers > 0) one.lastFollowedMs = nowMs;
      else if (nowMs - one.lastFollowedMs > idleMs) kept.delete(projectId);
    }
  }

  return {
    open,
    announced(projectId, appended) {
      kept.get(projectId)?.hub.announced(appended);
      const missed = opening.get(projectId)?.missed;
      if (missed && missed.length < missedMax) missed.push(appended);
    },
    async sweep() {
      dropIdle();
      keepWithinBudget();
      for (const { hub } of kept.values()) hub.catchUp();
      for (let hasMore = true; hasMore; ) {
        const page = await log.appendedHeads(since);
        for (const { project_id, position } of page.heads) {
          kept.get(project_id)?.hub.headIs(page.log_epoch, position);
        }
        await readHeadsOfEarlierEpochs(page.log_epoch);
        since = page.next_since;
        hasMore = page.has_more;
      }
    },
    get size() {
      return kept.size;
    },
  };
}
