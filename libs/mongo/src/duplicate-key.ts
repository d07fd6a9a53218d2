import { MongoServerError } from 'mongodb';

/** The fields of the unique index that a write ran into. */
export type DuplicateKey = readonly string[];

const duplicateKeyCode = 11_000;

/**
 * The index fields of a duplicate-key error, or null for any other error. Told by the error's key
 * pattern and never by its text. Empty for a bulk write: the driver drops the pattern from its
 * errors, and `writeErrors` say only which of the writes it was.
 */
export function duplicateKeyOf(error: unknown): DuplicateKey | null {
  if (!(error instanceof MongoServerError) || error.code !== duplicateKeyCode) return null;
  const pattern: unknown = error['keyPattern'] ?? error.errorResponse['keyPattern'];
  return typeof pattern === 'object' && pattern !== null ? Object.keys(pattern) : [];
}
