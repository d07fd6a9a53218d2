import { auditRecord } from '@inventory/contracts/http/audit';
import type { AuditId } from '@inventory/contracts/ids';
import { insertOwn } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { parseDocument, readFirst } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db, Filter } from 'mongodb';
import type { z } from 'zod';

const collectionName = 'operator_audit';
const keptMs = 400 * 24 * 3_600_000;

export const auditIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    { name: 'at', keys: { atMs: 1, _id: 1 } },
    { name: 'operator_at', keys: { operator: 1, atMs: 1, _id: 1 } },
    { name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } },
  ],
};

const documents = { collection: collectionName, schema: auditRecord.out };

/** One entry of the audit. */
export type AuditEntry = Readonly<z.output<typeof auditRecord>>;
type AuditDocument = AuditEntry & { readonly _id: AuditId; readonly expireAt: Date };

/** A call of the operator API. */
export type AuditedCall = Pick<AuditEntry, 'requestId' | 'operator' | 'peer' | 'method' | 'path'>;

/** The position of an entry: its time, and its id among those of one time. */
export type AuditPosition = Pick<AuditEntry, 'auditId' | 'atMs'>;

export interface AuditPart {
  readonly fromMs: number | null;
  /** Exclusive. */
  readonly toMs: number | null;
  readonly operator: string | undefined;
  readonly after: AuditPosition | null;
  readonly limit: number;
}

export type AuditStore = ReturnType<typeof createAuditStore>;

/** What operators did and attempted. Entries are appended and read, never changed. */
export function createAuditStore(db: Db, deadlines: { readonly lookUpMs: number }, logger: Logger) {
  const collection = db.collection<AuditDocument>(collectionName);
  const bounded = <Value>(work: Promise<Value>) =>
    withDeadline(work, deadlines.lookUpMs, 'the audit of operators');

  return {
    async append(entry: AuditEntry): Promise<void> {
      const expireAt = dateOf(entry.atMs + keptMs);
      await bounded(insertOwn(collection, { _id: entry.auditId, ...entry, expireAt }));
    },
    /** Oldest first. */
    async list(part: AuditPart): Promise<AuditEntry[]> {
      const found = collection.find(filterOf(part)).sort({ atMs: 1, _id: 1 });
      const read = (stored: AuditDocument) => [parseDocument(documents, stored)];
      return await bounded(readFirst(found, part.limit, read, logger));
    },
  };
}

function filterOf({ fromMs, toMs, operator, after }: AuditPart): Filter<AuditDocument> {
  const isFrom = fromMs === null ? [] : [{ atMs: { $gte: fromMs } }];
  const isBefore = toMs === null ? [] : [{ atMs: { $lt: toMs } }];
  const isOperators = operator === undefined ? [] : [{ operator }];
  const isAfter =
    after === null
      ? []
      : [
          { atMs: { $gte: after.atMs } },
          { $or: [{ atMs: { $gt: after.atMs } }, { _id: { $gt: after.auditId } }] },
        ];
  const all = [...isFrom, ...isBefore, ...isOperators, ...isAfter];
  return all.length === 0 ? {} : { $and: all };
}
