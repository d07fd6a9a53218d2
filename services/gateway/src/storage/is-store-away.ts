import { MongoError, MongoServerError } from 'mongodb';

const lostConnectionCodes = ['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH'];

/**
 * Whether a failure means that the store cannot be reached now. The driver names its own troubles
 * and lets the failure of a write to a broken connection through as it is; a server that answered
 * with an error was asked wrongly.
 */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof MongoServerError) return error.hasErrorLabel('RetryableWriteError');
  if (error instanceof MongoError) return true;
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && lostConnectionCodes.includes(code);
}
