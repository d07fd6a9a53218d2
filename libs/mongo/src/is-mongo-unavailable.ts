import { MongoError, MongoServerError } from 'mongodb';

/**
 * Whether a failure means that the store cannot be reached now. The driver names its own troubles;
 * a server that answered with an error was asked wrongly. A bulk write that lost its connection is
 * a server's error to the driver, with the trouble in the place of an answer.
 */
export function isMongoUnavailable(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return error instanceof MongoError;
  return error.hasErrorLabel('RetryableWriteError') || isMongoUnavailable(error.errorResponse);
}
