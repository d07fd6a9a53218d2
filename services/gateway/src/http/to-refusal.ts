import { ServiceUnreachable } from '@inventory/http/internal-client';
import { BusOverloaded } from '@inventory/messaging/bus';
import { ReplyBoxFull } from '@inventory/messaging/reply-box';
import { BatcherFull } from '@inventory/runtime/concurrency';
import { DeadlineExceeded } from '@inventory/runtime/wait';
import { MongoError, MongoServerError } from 'mongodb';
import { Refusal, refuse, refuseForNow } from './refusal.ts';

const retryAfterSeconds = 2;

const operatingErrors = [
  ServiceUnreachable,
  BusOverloaded,
  ReplyBoxFull,
  BatcherFull,
  DeadlineExceeded,
];

/** What a failure means to a client: its own refusal, a dependency that is away, or our fault. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const away =
    operatingErrors.some((kind) => error instanceof kind) ||
    isStoreAway(error) ||
    isConnectionLost(error);
  return away
    ? refuseForNow('service_unavailable', retryAfterSeconds, { cause: error })
    : refuse('internal_error', { cause: error });
}

/** The driver names its own troubles; a server that answered with an error was asked wrongly. */
function isStoreAway(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  return !(error instanceof MongoServerError) || error.hasErrorLabel('RetryableWriteError');
}

const lostConnectionCodes = ['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH'];

/** The driver lets the failure of a write to a broken socket through as it is. */
function isConnectionLost(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && lostConnectionCodes.includes(code);
}
