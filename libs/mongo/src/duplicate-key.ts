import { MongoBulkWriteError, MongoServerError } from 'mongodb';

/** The fields of the unique index that a write violated. */
export type DuplicateKey = readonly string[];

const duplicateKeyCode = 11_000;

/**
 * The index fields of a duplicate-key error; null for any other error. Read from the error's key
 * pattern, never from its text. Empty for a bulk write: the driver drops the pattern, and
 * `writeErrors` have the index of the failed write only.
 */
export function duplicateKeyOf(error: unknown): DuplicateKey | null {
  if (!(error instanceof MongoServerError) || error.code !== duplicateKeyCode) return null;
  const pattern: unknown = error['keyPattern'] ?? error.errorResponse['keyPattern'];
  return typeof pattern === 'object' && pattern !== null ? Object.keys(pattern) : [];
}

/**
 * Which writes of an unordered bulk write a unique index refused; the others are stored. Any other
 * failure leaves open what is stored: then it rejects as the bulk write does.
 */
export async function refusedWrites(writes: Promise<unknown>): Promise<ReadonlySet<number>> {
  try {
    await writes;
    return new Set();
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    const isCertain =
      failures.length > 0 &&
      failures.every(({ code }) => code === duplicateKeyCode) &&
      error.result.getWriteConcernError() === undefined;
    if (!isCertain) throw error;
    return new Set(failures.map(({ index }) => index));
  }
}
