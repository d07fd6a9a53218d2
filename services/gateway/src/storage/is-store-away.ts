import { MongoError, MongoServerError } from 'mongodb';

/**
 * Whether a failure means that the store cannot be reached now. The driver names its own troubles;
 * a server that answered with an error was asked wrongly.
 */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof MongoServerError) return error.hasErrorLabel('RetryableWriteError');
  return error instanceof MongoError;
}
