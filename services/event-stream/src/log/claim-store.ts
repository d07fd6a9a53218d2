import type { AccountId, EventId, ProjectId } from '@inventory/contracts/ids';
import type { EventText } from '@inventory/contracts/internal/event-log';
import { parseDocument } from '@inventory/mongo/parse-document';
import {
  createSharedInserts,
  createSharedReads,
  sharedCommands,
} from '@inventory/mongo/shared-commands';
import { createBatcher } from '@inventory/runtime/concurrency';
import { newWork } from '@inventory/work/work-field';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { type LogClaimDocument, logDocuments } from './log-document.ts';

/** An event and the position that it was given. */
export interface Claim {
  readonly accountId: AccountId;
  readonly position: number;
  readonly event: EventText;
}

/** What is compared of the last claim of a log by the next one; nulls before the first. */
export interface LastClaim {
  readonly position: number | null;
  readonly eventId: EventId | null;
  /** Whether pruning of the log is pending. */
  readonly isQueued: boolean;
}

/** A claim that follows another one of its log. */
interface NextClaim {
  readonly filter: Filter<LogClaimDocument> & { readonly _id: ProjectId };
  readonly update: UpdateFilter<LogClaimDocument>;
  readonly claim: Claim;
}

const claimsPerCommand = 100;

/**
 * The last claim of each log. By the same write the log is due for pruning, until nothing but its newest
 * entry is left of it.
 */
export function createClaimStore(
  claims: Collection<LogClaimDocument>,
  /** When a log that has a new entry is due. */
  pruneAtMs: () => number,
) {
  const reads = createSharedReads(claims, claimsPerCommand);
  const inserts = createSharedInserts(claims, claimsPerCommand);
  const updates = createBatcher<NextClaim, boolean>({
    ...sharedCommands,
    itemsMax: claimsPerCommand,
    async flush(next) {
      const operations = next.map(({ filter, update }) => ({ updateOne: { filter, update } }));
      const { modifiedCount } = await claims.bulkWrite(operations, { ordered: false });
      const areAlike = modifiedCount === 0 || modifiedCount === next.length;
      return areAlike ? next.map(() => modifiedCount > 0) : await findMade(next);
    },
  });

  /**
   * The server counts the claims that it made. Which ones, their documents show; where the next claim
   * has followed meanwhile, the entry is in the log. The same claim of another replica is as good.
   */
  async function findMade(next: readonly NextClaim[]): Promise<boolean[]> {
    const which = { _id: { $in: next.map(({ filter }) => filter._id) } };
    const projection = { position: 1, 'event.id': 1 };
    const stored = await claims.find(which, { projection }).toArray();
    const byId = new Map(stored.map((one) => [one._id, one]));
    return next.map(({ filter, claim }) => {
      const found = byId.get(filter._id);
      return found?.position === claim.position && found.event?.id === claim.event.id;
    });
  }

  return {
    /** The last claim of a log, `claim` null before the first; null where the log has no document. */
    async readClaim(projectId: ProjectId) {
      const found = await reads.add(projectId);
      return found && toClaim(parseDocument(logDocuments.claim, found));
    },
    /** Makes a claim where `last` is the last one; else null. */
    async makeClaim(
      _id: ProjectId,
      last: LastClaim | null,
      claim: Claim,
    ): Promise<LastClaim | null> {
      const work = newWork(pruneAtMs());
      const $set = last?.isQueued ? claim : { ...claim, work };
      const isMade =
        last === null
          ? await inserts.add({ _id, ...claim, work })
          : await updates.add({ filter: { _id, ...sameAs(last) }, update: { $set }, claim });
      return isMade ? lastOf(claim, true) : null;
    },
  };
}

function sameAs({ position, eventId, isQueued }: LastClaim) {
  return {
    position: position ?? { $exists: false },
    'event.id': eventId ?? { $exists: false },
    'work.dueAtMs': { $exists: isQueued },
  };
}

const lastOf = ({ position, event }: Claim, isQueued: boolean): LastClaim => ({
  position,
  eventId: event.id,
  isQueued,
});

/** A document of the version before has no claim. */
function toClaim({ accountId, position, event, work }: LogClaimDocument): {
  readonly last: LastClaim;
  readonly claim: Claim | null;
} {
  const isQueued = work !== undefined;
  if (accountId === undefined || position === undefined || event === undefined) {
    return { last: { position: null, eventId: null, isQueued }, claim: null };
  }
  const claim = { accountId, position, event };
  return { last: lastOf(claim, isQueued), claim };
}
