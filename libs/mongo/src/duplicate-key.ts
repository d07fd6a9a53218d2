import { MongoServerError } from 'mongodb';

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
