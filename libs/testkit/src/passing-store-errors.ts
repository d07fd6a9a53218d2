import { passingCodes, passingLabels } from '@inventory/mongo/is-mongo-unavailable';
import {
  type BulkWriteResult,
  MongoBulkWriteError,
  MongoNetworkError,
  MongoServerError,
  MongoWriteConcernError,
  type WriteError,
} from 'mongodb';

/** The response of a server that refuses a command. */
export function serverError(fields: object): MongoServerError {
  return new MongoServerError({ message: 'refused', ...fields });
}

/** A bulk write of which some documents were refused, whose majority did not confirm it, or both. */
export function bulkWriteError({
  documents = [],
  concern,
}: {
  readonly documents?: readonly number[];
  readonly concern?: number;
}): MongoBulkWriteError {
  const message = 'refused';
  const writeErrors = documents.map((code, index) => ({ code, index }) as WriteError);
  const getWriteConcernError = () => concern && { code: concern, errmsg: message };
  const result = { getWriteConcernError } as BulkWriteResult;
  return new MongoBulkWriteError({ message, code: documents[0] ?? 0, writeErrors }, result);
}

const unconfirmed = { code: passingCodes.WriteConcernTimeout, errmsg: 'waiting for replication' };
const duplicateKey = 11_000;

/** Errors of a store that is unavailable, each under its name. */
export const passingStoreErrors: readonly (readonly [name: string, error: Error])[] = [
  ['a lost connection', new MongoNetworkError('closed')],
  ['a bulk write that lost its connection', lostBulkWrite()],
  [
    'a write without its majority',
    new MongoWriteConcernError({ ok: 1, writeConcernError: unconfirmed }),
  ],
  ['a bulk write without its majority', bulkWriteError({ concern: unconfirmed.code })],
  [
    'a bulk write without its majority, of which another document is refused',
    bulkWriteError({ documents: [duplicateKey], concern: unconfirmed.code }),
  ],
  [
    'a bulk write of which a later document is not taken',
    bulkWriteError({ documents: [duplicateKey, passingCodes.NotWritablePrimary] }),
  ],
  ...passingLabels.map((label) => [label, serverError({ errorLabels: [label] })] as const),
  ...Object.entries(passingCodes).map(([name, code]) => [name, serverError({ code })] as const),
];

function lostBulkWrite(): MongoBulkWriteError {
  const result = { getWriteConcernError: () => undefined } as BulkWriteResult;
  return new MongoBulkWriteError(new MongoNetworkError('closed'), result);
}
