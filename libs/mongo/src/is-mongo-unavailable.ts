import { MongoError, MongoServerError } from 'mongodb';

/**
 * Error codes of a server that is shutting down, changes its role, or does not reach the others:
 * those of retryable reads in the driver specification. And of one that accepts no write: its disk
 * is full, or its operator has blocked them.
 */
const transientCodes: readonly unknown[] = [
  6, 7, 89, 91, 134, 189, 262, 9_001, 10_107, 11_600, 11_602, 13_435, 13_436, 14_031, 371,
];

/**
 * Whether an error means that the store is unavailable. Errors of the driver do; an error response
 * of the server does where its code is transient, as during an election. For a bulk write that lost
 * its connection the driver throws a server error, with the network error in place of the response.
 */
export function isMongoUnavailable(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return error instanceof MongoError;
  return (
    transientCodes.includes(error.code) ||
    error.hasErrorLabel('RetryableWriteError') ||
    isMongoUnavailable(error.errorResponse)
  );
}
