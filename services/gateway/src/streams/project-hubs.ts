import type { ProjectId } from '@inventory/contracts/ids';
import { logHeadsMax } from '@inventory/contracts/internal/event-log';
import type { AppendedEvent } from '@inventory/contracts/messages/project-events';
import { createBatcher } from '@inventory/runtime/concurrency';
import { createTickFlush } from '@inventory/runtime/tick-flush';
import type { EventStreamClient } from './event-stream-client.ts';
import { createProjectHub, type HubDeps, type HubStart, type ProjectHub } from './project-hub.ts';

export type ProjectHubs = ReturnType<typeof createProjectHubs>;

interface Kept {
  readonly hub: ProjectHub;
  /** Sweeps that found no reader, one after the other: a clock that is set drops no hub. */
  idle: number;
}

/** A hub that is being opened collects messages: its head may be older than they are. */
interface Opening {
  readonly missed: AppendedEvent[];
  readonly opened: Promise<ProjectHub>;
}

const missedMax = 1_000;
/** Sweeps from one read of ends to the next. */
const sweepsPerProof = 12;
/** More than the connections of a replica. */
const openingMax = 100_000;

/** The hubs of all Projects with a reader on this replica. */
export function createProjectHubs(
  deps: Omit<HubDeps, 'flushSoon'> & {
    /** Largest total size of the frames of all hubs. */
    readonly bytesMax: number;
    /** Sweeps without a reader after which a hub is dropped; longer than a stream takes to open. */
    readonly idleSweeps: number;
  },
) {
  const { log, bytesMax, idleSweeps } = deps;
  const starts = createHubStarts(log);
  const hubDeps = { ...deps, flushSoon: createTickFlush() };
  const kept = new Map<string, Kept>();
  const opening = new Map<string, Opening>();
  const ends = createEndReads(log, kept);
  /** Where the next read of appended heads starts; null before the first, and while there is no hub. */
  let sinceMs: number | null = null;
  let sweeps = 0;

  async function make(projectId: ProjectId, missed: AppendedEvent[]): Promise<ProjectHub> {
    try {
      const hub = createProjectHub(hubDeps, projectId, await starts.add(projectId));
      for (const appended of missed) hub.appendEvent(appended);
      kept.set(projectId, { hub, idle: 0 });
      return hub;
    } finally {
      opening.delete(projectId);
    }
  }

  /** The hub of the Project; created and read up to the head when there is none. */
  function openHub(projectId: ProjectId): Promise<ProjectHub> {
    const known = kept.get(projectId);
    if (known) {
      known.idle = 0;
      return Promise.resolve(known.hub);
    }
    const running = opening.get(projectId);
    if (running) return running.opened;
    const missed: AppendedEvent[] = [];
    const started = { missed, opened: make(projectId, missed) };
    opening.set(projectId, started);
    return started.opened;
  }

  /** The largest rings are trimmed first; their readers read the log instead. */
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

  function dropIdle(): void {
    for (const [projectId, one] of kept) {
      one.idle = one.hub.readers > 0 ? 0 : one.idle + 1;
      if (one.idle > idleSweeps) kept.delete(projectId);
    }
  }

  return {
    openHub,
    /** Whether the Project has a hub here, or one that is being opened. */
    isFollowed: (projectId: string) => kept.has(projectId) || opening.has(projectId),
    appendEvent(appended: AppendedEvent): void {
      const { projectId } = appended;
      kept.get(projectId)?.hub.appendEvent(appended);
      const missed = opening.get(projectId)?.missed;
      if (missed && missed.length < missedMax) missed.push(appended);
    },
    /**
     * Reads the heads of Projects with recently appended events, which finds lost announcements, and
     * drops hubs without readers. Its cost follows events, not Projects. The time of an entry is that
     * of a clock: each twelfth sweep reads the heads of some Projects, whatever was appended when.
     */
    async compareHeads(): Promise<void> {
      dropIdle();
      // The first read afterwards overlaps the time since the first hub was opened.
      if (kept.size === 0) {
        sinceMs = null;
        return;
      }
      keepWithinBudget();
      for (const { hub } of kept.values()) hub.catchUp();
      for (let hasMore = true; hasMore; ) {
        const part = await log.readAppendedHeads(sinceMs);
        for (const { projectId, position } of part.heads) {
          kept.get(projectId)?.hub.updateHead(part.logEpoch, position);
        }
        await ends.readOfEarlierEpochs(part.logEpoch);
        sinceMs = part.nextSinceMs;
        hasMore = part.hasMore;
      }
      sweeps += 1;
      if (sweeps % sweepsPerProof === 0) await ends.readInRotation();
    },
    get size(): number {
      return kept.size;
    },
  };
}

/** Reads where the logs of hubs end. */
function createEndReads(log: EventStreamClient, kept: Map<string, Kept>) {
  async function read(hubs: readonly ProjectHub[]): Promise<void> {
    const ids = hubs.map(({ projectId }) => projectId);
    for (let from = 0; from < ids.length; from += logHeadsMax) {
      const { logEpoch, heads } = await log.readHeads(ids.slice(from, from + logHeadsMax));
      for (const { projectId, position } of heads) {
        kept.get(projectId)?.hub.updateHead(logEpoch, position);
      }
    }
  }

  return {
    /** A restored log has no recent entries of most Projects: their heads are read once. */
    readOfEarlierEpochs: (logEpoch: number) =>
      read([...kept.values()].map(({ hub }) => hub).filter((hub) => hub.logEpoch < logEpoch)),
    /** As many as one request reads. */
    async readInRotation(): Promise<void> {
      const next = [...kept].slice(0, logHeadsMax);
      for (const [projectId, one] of next) {
        kept.delete(projectId);
        kept.set(projectId, one);
      }
      await read(next.map(([, { hub }]) => hub));
    },
  };
}

/** Hubs that are opened during a read share the next one: clients of a lost replica come at once. */
function createHubStarts(log: EventStreamClient) {
  return createBatcher<ProjectId, HubStart>({
    itemsMax: logHeadsMax,
    waitingMax: openingMax,
    async flush(projectIds) {
      const { logEpoch, heads } = await log.readHeads(projectIds);
      const positions = new Map(heads.map((head) => [head.projectId, head.position]));
      return projectIds.map((id) => ({ logEpoch, head: positions.get(id) ?? 0 }));
    },
  });
}
