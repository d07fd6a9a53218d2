import { type AccountId, accountId, projectId } from '@inventory/contracts/ids';
import { ledgerAsset, productCode } from '@inventory/contracts/vocabulary';
import { utcDay } from '@inventory/contracts/wire';
import { isDuplicateKey, refusedWrites } from '@inventory/mongo/duplicate-key';
import { parseDocument, readEach, readFirst } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import type { AnyBulkWriteOperation, Collection, Db, FindCursor } from 'mongodb';
import { z } from 'zod';
import { usageDaysCollection, usagePositionsCollection } from '../collections.ts';
import type { DayKey, DayUsage } from './usage.domain.ts';

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

interface DayDocument extends StoredDayUsage {
  /** `<account>/<UTC day>/<Project>` */
  readonly _id: string;
}

interface PositionDocument extends StoredUsagePosition {
  readonly _id: AccountId;
}

const amount = z.int().min(0);
const product = z.object({
  productCode,
  asset: ledgerAsset,
  count: amount,
  charged: amount,
  reversed: amount,
});
const dayDocument: z.ZodType<DayDocument> = z.object({
  _id: z.string(),
  accountId,
  day: z.int(),
  projectId,
  products: z.array(product),
  throughSeq: z.int().min(1),
});
const positionDocument: z.ZodType<PositionDocument> = z.object({
  _id: accountId,
  accountId,
  commitId: z.string(),
  throughSeq: z.int().min(1),
});
const documents = {
  day: { collection: usageDaysCollection, schema: dayDocument },
  position: { collection: usagePositionsCollection, schema: positionDocument },
};
const readDay = (stored: DayDocument) => parseDocument(documents.day, stored);

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
      return found && parseDocument(documents.position, found);
    },
    /** Never moves back. */
    async advancePosition(account: AccountId, position: UsagePosition): Promise<void> {
      const earlier = { _id: account, throughSeq: { $lt: position.throughSeq } };
      const update = { $set: { accountId: account, ...position } };
      try {
        await positions.updateOne(earlier, update, { upsert: true });
      } catch (error) {
        // The stored one is as far as this one.
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async findDays(account: AccountId, keys: readonly DayKey[]): Promise<readonly DayUsage[]> {
      const ids = keys.map((key) => dayId(account, key));
      return (await days.find({ accountId: account, _id: { $in: ids } }).toArray()).map(readDay);
    },
    /** By day and Project, at most `limit`. */
    async listDays(
      account: AccountId,
      span: UsageSpan,
      limit: number,
    ): Promise<readonly DayUsage[]> {
      const filter = { accountId: account, _id: idsOf(account, span) };
      const found = days.find(filter).sort(byId).limit(limit);
      return (await found.toArray()).map(readDay);
    },
    /** False when another replica changed one of them since it was read; some are stored then. */
    saveDays: (account: AccountId, changes: readonly DayChange[]) => save(days, account, changes),
    /** Of accounts after one, by account, at most `limit`. */
    async listPositions(after: AccountId | null, limit: number): Promise<StoredUsagePosition[]> {
      const filter = after === null ? {} : { _id: { $gt: after } };
      const found = positions.find(filter).sort(byId);
      const listed = (stored: PositionDocument) => [parseDocument(documents.position, stored)];
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
    yield* readEach([stored], readDay, logger);
  }
}

/** After the ids of an account's days. */
const endOf = (account: AccountId) => `${account}0`;
/** After the ids of all accounts' days. */
const endOfAll = 'b';

function dayId(account: AccountId, { day, projectId: project }: DayKey): string {
  return `${account}/${z.encode(utcDay, day)}/${project}`;
}

function idsOf(account: AccountId, { fromDay, endDay, projectId: project }: UsageSpan) {
  if (project === null) {
    const [first, last] = [z.encode(utcDay, fromDay), z.encode(utcDay, endDay - 1)];
    return { $gte: `${account}/${first}`, $lt: `${account}/${last}0` };
  }
  const wanted = Array.from({ length: endDay - fromDay }, (_, index) => fromDay + index);
  return { $in: wanted.map((day) => dayId(account, { day, projectId: project })) };
}

async function save(
  days: Collection<DayDocument>,
  account: AccountId,
  changes: readonly DayChange[],
): Promise<boolean> {
  const writes = changes.map(({ before, after }): AnyBulkWriteOperation<DayDocument> => {
    const _id = dayId(account, after);
    if (before === null) {
      return { insertOne: { document: { ...after, _id, accountId: account } } };
    }
    const { products, throughSeq } = after;
    const filter = { _id, accountId: account, throughSeq: before.throughSeq };
    return { updateOne: { filter, update: { $set: { products, throughSeq } } } };
  });
  const written = days.bulkWrite(writes, { ordered: false });
  if ((await refusedWrites(written)).size > 0) return false;
  const { insertedCount, matchedCount } = await written;
  return insertedCount + matchedCount === changes.length;
}
