import { type AuditId, auditId } from '@inventory/contracts/ids';
import { insertOwn } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { parseDocument, readFirst } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db, Filter } from 'mongodb';
import { z } from 'zod';

const collectionName = 'operator_audit';
const keptSeconds = 400 * 24 * 3_600;

export const auditIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    { name: 'at', keys: { at: 1, _id: 1 } },
    { name: 'operator_at', keys: { operator: 1, at: 1, _id: 1 } },
    { name: 'expire', keys: { at: 1 }, options: { expireAfterSeconds: keptSeconds } },
  ],
};

const documents = {
  collection: collectionName,
  schema: z.object({
    _id: auditId,
    at: z.date(),
    /** A change has two entries: before its effect, and with its outcome. */
    kind: z.enum(['started', 'ended', 'refused']),
    requestId: z.string(),
    /** Null where the token is not of an operator. */
    operator: z.string().nullable(),
    /** Address that the call came from. */
    peer: z.string(),
    method: z.string(),
    /** Without the query. */
    path: z.string(),
    /** Name of the change; null of a refused call that is none. */
    action: z.string().nullable(),
    /** Of a start the input, without secrets: no operation takes one. Of an end the ids of what was made. */
    parameters: z.record(z.string(), z.unknown()),
    /** `done`, or the code of the refusal; null of a start. */
    outcome: z.string().nullable(),
  }),
};
type AuditDocument = z.infer<typeof documents.schema>;

/** One entry of the audit. */
export interface AuditEntry extends Readonly<Omit<AuditDocument, '_id' | 'at'>> {
  readonly id: AuditId;
  readonly atMs: number;
}

/** A call of the operator API. */
export type AuditedCall = Pick<AuditEntry, 'requestId' | 'operator' | 'peer' | 'method' | 'path'>;

/** The place of an entry: its time, and its id among those of one time. */
export type AuditPosition = Pick<AuditEntry, 'id' | 'atMs'>;

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
export function createAuditStore(
  db: Db,
  deadlines: { readonly lookUpMs: number },
  logger: Pick<Logger, 'error'>,
) {
  const collection = db.collection<AuditDocument>(collectionName);
  const bounded = <Value>(work: Promise<Value>) =>
    withDeadline(work, deadlines.lookUpMs, 'the audit of operators');

  return {
    async append({ id, atMs, ...entry }: AuditEntry): Promise<void> {
      await bounded(insertOwn(collection, { _id: id, at: dateOf(atMs), ...entry }));
    },
    /** Oldest first. */
    async list(part: AuditPart): Promise<AuditEntry[]> {
      const found = collection.find(filterOf(part)).sort({ at: 1, _id: 1 });
      const read = (stored: AuditDocument) => [fromDocument(stored)];
      return await bounded(readFirst(found, part.limit, read, logger));
    },
  };
}

function filterOf({ fromMs, toMs, operator, after }: AuditPart): Filter<AuditDocument> {
  const isFrom = fromMs === null ? [] : [{ at: { $gte: dateOf(fromMs) } }];
  const isBefore = toMs === null ? [] : [{ at: { $lt: dateOf(toMs) } }];
  const isOperators = operator === undefined ? [] : [{ operator }];
  const isAfter =
    after === null
      ? []
      : [
          { at: { $gte: dateOf(after.atMs) } },
          {
            $or: [{ at: { $gt: dateOf(after.atMs) } }, { _id: { $gt: after.id } }],
          },
        ];
  const all = [...isFrom, ...isBefore, ...isOperators, ...isAfter];
  return all.length === 0 ? {} : { $and: all };
}

function fromDocument(document: AuditDocument): AuditEntry {
  const { _id: id, at, ...entry } = parseDocument(documents, document);
  return { id, atMs: at.getTime(), ...entry };
}
