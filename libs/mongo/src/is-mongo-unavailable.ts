import { MongoError, MongoServerError } from 'mongodb';

/**
 * Whether an error means that the store is unavailable. Errors of the driver do; an error response
 * of the server does not. For a bulk write that lost its connection the driver throws a server
 * error, with the network error in place of the response.
 */
export function isMongoUnavailable(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return error instanceof MongoError;
  return error.hasErrorLabel('RetryableWriteError') || isMongoUnavailable(error.errorResponse);
}
