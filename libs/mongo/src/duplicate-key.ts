import { MongoBulkWriteError, MongoServerError } from 'mongodb';

const duplicateKeyCode = 11_000;

/**
 * Whether a unique index refused a write. Which one is left out: not every server says it, and the
 * driver drops it for a bulk write.
 */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKeyCode;
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
