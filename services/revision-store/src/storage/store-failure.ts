import { MongoError } from 'mongodb';

/** The store did not answer or refused for now: the same again may well work. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof MongoError;
}
