import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { EventText } from '@inventory/contracts/internal/event-log';
import type { AppendedEvent } from '@inventory/contracts/messages/project-events';
import type { Clock } from '@inventory/runtime/clock';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import type { LastClaim } from './claim-store.ts';
import type { ProjectLog, ProjectLogSettings } from './project-log-store.ts';

/** The log that an event belongs to. */
export interface EventOwner {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
}

const raceMax = 1_000;
const tailsMax = 50_000;

/** The end of a log, which the next claim follows. */
interface Tail {
  readonly last: LastClaim | null;
  /** Position of the newest entry. */
  readonly position: number;
}

/**
 * Which event has a position is decided by one compare-and-set of the Project's last claim; the entry
 * of a claim is inserted before the next one is made. So what is cached of the end of a log is proved
 * by the claim, whatever was appended and pruned since by any clock, and no position is given twice.
 */
export function createAppends(
  store: ProjectLog,
  clock: Clock,
  { logEpoch, keepMs }: ProjectLogSettings,
) {
  const tails = createRecentlyUsed<ProjectId, Tail>(tailsMax);

  /**
   * Where the next claim begins. The last one has no entry yet after a crash, or while its entry is
   * being inserted. Undefined where another replica has just inserted it: to be read again.
   */
  async function readTail(projectId: ProjectId): Promise<Tail | undefined> {
    const stored = await store.readClaim(projectId);
    // Read after the claim: it is its position, the one before, or that of a replica without claims.
    const position = await store.readHead(projectId);
    const { last, claim } = stored ?? { last: null, claim: null };
    if (claim?.position !== position + 1) return { last, position };
    // An event that has an entry already gets none by its claim: another one takes its position.
    const earlier = await findAppended(projectId, claim.event);
    if (earlier) return { last, position: Math.max(position, earlier.position) };
    const appendedAtMs = await store.insertEntry(projectId, claim);
    return appendedAtMs === null ? undefined : { last, position: claim.position };
  }

  /** Among the pruned ones last: what is pruned meanwhile was recorded there before. */
  async function findAppended(
    projectId: ProjectId,
    event: EventText,
  ): Promise<AppendedEvent | null> {
    const entry = await store.findEntry(projectId, event.id);
    if (entry) return entry;
    const position = await store.findPruned(projectId, event.id);
    if (position === null) return null;
    return { projectId, logEpoch, position, event, appendedAtMs: null };
  }

  /** The unique index knows no pruned event. Clocks differ by less than half of what is kept. */
  function maybePruned({ occurredAtMs }: EventText): boolean {
    return occurredAtMs <= clock.now() - keepMs / 2;
  }

  /** The entry of the event, inserted or found: an event is appended once. */
  return async function appendEvent(
    { accountId, projectId }: EventOwner,
    event: EventText,
  ): Promise<AppendedEvent> {
    let tail = maybePruned(event) ? undefined : tails.get(projectId);
    for (let race = 0; race < raceMax; race += 1) {
      if (tail === undefined) {
        tail = await readTail(projectId);
        const earlier = await findAppended(projectId, event);
        if (earlier) return earlier;
        if (tail === undefined) continue;
      }
      const claim = { accountId, position: tail.position + 1, event };
      const last = await store.makeClaim(projectId, tail.last, claim);
      const appendedAtMs = last && (await store.insertEntry(projectId, claim));
      if (appendedAtMs !== null) {
        tails.set(projectId, { last, position: claim.position });
        return { projectId, logEpoch, position: claim.position, event, appendedAtMs };
      }
      tails.delete(projectId);
      tail = undefined;
    }
    throw new Error('the log of a Project is too contended to append to');
  };
}
