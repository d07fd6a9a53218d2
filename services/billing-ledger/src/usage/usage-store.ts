import { type AccountId, accountId, projectId } from '@inventory/contracts/ids';
import { ledgerAsset, productCode } from '@inventory/contracts/vocabulary';
import { isDuplicateKey, refusedWrites } from '@inventory/mongo/duplicate-key';
import { parseDocument, readEach, readFirst } from '@inventory/mongo/parse-document';
import { dateOf, isoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { AnyBulkWriteOperation, Collection, Db, FindCursor } from 'mongodb';
import { z } from 'zod';
import { usageDaysCollection, usagePositionsCollection } from '../collections.ts';
import { type DayKey, type DayUsage, dayMs } from './usage.domain.ts';

const amount = z.int().min(0);
const dayDocument = z.object({
  /** `<account>/<UTC day>/<Project>` */
  _id: z.string(),
  accountId,
  day: z.date(),
  projectId,
  products: z.array(
    z.object({ productCode, asset: ledgerAsset, count: amount, charged: amount, reversed: amount }),
  ),
  throughSeq: z.int().min(1),
});
type DayDocument = z.infer<typeof dayDocument>;

const positionDocument = z.object({
  _id: accountId,
  commitId: z.string(),
  throughSeq: z.int().min(1),
});
type PositionDocument = z.infer<typeof positionDocument>;

const documents = {
  day: { collection: usageDaysCollection, schema: dayDocument },
  position: { collection: usagePositionsCollection, schema: positionDocument },
};

/** The last commit of an account whose use is counted in its days. */
export interface UsagePosition {
  readonly commitId: string;
  readonly throughSeq: number;
}

export interface StoredUsagePosition extends UsagePosition {
  readonly accountId: AccountId;
}

export interface StoredDayUsage extends DayUsage {
  readonly accountId: AccountId;
}

export interface DayChange {
  /** As it was read; null where there was none. */
  readonly before: DayUsage | null;
  readonly after: DayUsage;
}

export interface UsageSpan {
  /** Days since the epoch; `fromDay` is in it, `endDay` is not. */
  readonly fromDay: number;
  readonly endDay: number;
  /** Null for all Projects. */
  readonly projectId: DayUsage['projectId'] | null;
}

/** `after` is not in it, `upTo` is; null: no bound. */
export interface AccountRange {
  readonly after: AccountId | null;
  readonly upTo: AccountId | null;
}

const byId = { _id: 1 } as const;

/**
 * Daily roll-ups of use. They are derived from the journal and can be deleted at any time. A read of one
 * account fails where a document of it is corrupt: a report without a day would be false, and the day
 * would be counted anew. Reads of all accounts leave it out.
 */
export type UsageStore = ReturnType<typeof createUsageStore>;

export function createUsageStore(db: Db, logger: Logger) {
  const days = db.collection<DayDocument>(usageDaysCollection);
  const positions = db.collection<PositionDocument>(usagePositionsCollection);

  return {
    async findPosition(account: AccountId): Promise<UsagePosition | null> {
      const found = await positions.findOne({ _id: account });
      if (found === null) return null;
      const { commitId, throughSeq } = parseDocument(documents.position, found);
      return { commitId, throughSeq };
    },
    /** Never moves back. */
    async advancePosition(account: AccountId, position: UsagePosition): Promise<void> {
      const behind = { _id: account, throughSeq: { $lt: position.throughSeq } };
      try {
        await positions.updateOne(behind, { $set: position }, { upsert: true });
      } catch (error) {
        // The stored one is as far as this one.
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async findDays(account: AccountId, keys: readonly DayKey[]): Promise<readonly DayUsage[]> {
      const ids = keys.map((key) => dayId(account, key));
      return (await days.find({ accountId: account, _id: { $in: ids } }).toArray()).map(read);
    },
    /** By day and Project, at most `limit`. */
    async listDays(account: AccountId, span: UsageSpan, limit: number) {
      const filter = { accountId: account, _id: idsOf(account, span) };
      const found = days.find(filter).sort(byId).limit(limit);
      return (await found.toArray()).map(read);
    },
    /** False when another replica changed one of them since it was read; some are stored then. */
    saveDays: (account: AccountId, changes: readonly DayChange[]) => save(days, account, changes),
    /** Of accounts behind one, by account, at most `limit`. */
    async listPositions(after: AccountId | null, limit: number): Promise<StoredUsagePosition[]> {
      const filter = after === null ? {} : { _id: { $gt: after } };
      const found = positions.find(filter).sort(byId);
      const listed = (stored: PositionDocument) => {
        const { _id, ...position } = parseDocument(documents.position, stored);
        return [{ accountId: _id, ...position }];
      };
      return readFirst(found, limit, listed, logger);
    },
    /** All days of the accounts in a range, by account, day and Project. */
    scanDays: ({ after, upTo }: AccountRange): AsyncIterable<StoredDayUsage> =>
      scan(
        days.find({
          _id: {
            ...(after === null ? {} : { $gt: endOf(after) }),
            $lt: upTo === null ? endOfAll : endOf(upTo),
          },
        }),
        logger,
      ),
  };
}

async function* scan(
  found: FindCursor<DayDocument>,
  logger: Logger,
): AsyncGenerator<StoredDayUsage> {
  for await (const stored of found.sort(byId)) {
    yield* readEach([stored], () => ({ ...read(stored), accountId: stored.accountId }), logger);
  }
}

/** Behind the ids of an account's days. */
const endOf = (account: AccountId) => `${account}0`;
/** Behind the ids of all accounts' days. */
const endOfAll = 'b';

function dayText(day: number): string {
  return isoTime(day * dayMs).slice(0, 10);
}

function dayId(account: AccountId, { day, projectId: project }: DayKey): string {
  return `${account}/${dayText(day)}/${project}`;
}

function idsOf(account: AccountId, { fromDay, endDay, projectId: project }: UsageSpan) {
  if (project === null) {
    return { $gte: `${account}/${dayText(fromDay)}`, $lt: `${account}/${dayText(endDay)}` };
  }
  const wanted = Array.from({ length: endDay - fromDay }, (_, index) => fromDay + index);
  return { $in: wanted.map((day) => dayId(account, { day, projectId: project })) };
}

function read(stored: DayDocument): DayUsage {
  const { day, projectId: project, products, throughSeq } = parseDocument(documents.day, stored);
  return { day: Math.floor(day.getTime() / dayMs), projectId: project, products, throughSeq };
}

function toDocument(account: AccountId, usage: DayUsage): DayDocument {
  const { day, projectId: project, products, throughSeq } = usage;
  return {
    _id: dayId(account, usage),
    accountId: account,
    day: dateOf(day * dayMs),
    projectId: project,
    products: [...products],
    throughSeq,
  };
}

async function save(
  days: Collection<DayDocument>,
  account: AccountId,
  changes: readonly DayChange[],
): Promise<boolean> {
  const writes = changes.map(({ before, after }): AnyBulkWriteOperation<DayDocument> => {
    const document = toDocument(account, after);
    if (before === null) return { insertOne: { document } };
    const { _id, products, throughSeq } = document;
    const filter = { _id, accountId: account, throughSeq: before.throughSeq };
    return { updateOne: { filter, update: { $set: { products, throughSeq } } } };
  });
  const written = days.bulkWrite(writes, { ordered: false });
  if ((await refusedWrites(written)).size > 0) return false;
  const { insertedCount, matchedCount } = await written;
  return insertedCount + matchedCount === changes.length;
}
