import { MongoError } from 'mongodb';

/** The store did not respond or refused temporarily: a retry may succeed. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof MongoError;
}
