import { ServiceUnreachable } from '@inventory/http/internal-client';
import { BusOverloaded } from '@inventory/messaging/bus';
import { PendingRepliesFull } from '@inventory/messaging/pending-replies';
import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import { BatcherFull } from '@inventory/runtime/concurrency';
import { DeadlineExceeded } from '@inventory/runtime/wait';
import { Refusal, refuse, refuseForNow } from './refusal.ts';

const retryAfterSeconds = 2;

const operatingErrors = [
  ServiceUnreachable,
  BusOverloaded,
  PendingRepliesFull,
  BatcherFull,
  DeadlineExceeded,
];

/** What a failure means to a client: its own refusal, a dependency that is away, or our fault. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const away = operatingErrors.some((kind) => error instanceof kind) || isMongoUnavailable(error);
  return away
    ? refuseForNow('service_unavailable', retryAfterSeconds, { cause: error })
    : refuse('internal_error', { cause: error });
}
