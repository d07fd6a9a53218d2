import { isOn, type PublicRefusal } from '@inventory/contracts/refusal-codes';
import { ServiceUnreachable } from '@inventory/http/internal-client';
import { Refused } from '@inventory/http/refused';
import { BusOverloaded } from '@inventory/messaging/bus';
import { PendingRepliesFull } from '@inventory/messaging/pending-replies';
import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import { BatcherFull } from '@inventory/runtime/concurrency';
import { SemaphoreFull } from '@inventory/runtime/semaphore';
import { DeadlineExceeded } from '@inventory/runtime/wait';

const unavailable = { code: 'service_unavailable', retry_after_seconds: 2 } satisfies PublicRefusal;
const changedMeanwhile = {
  code: 'service_unavailable',
  retry_after_seconds: 1,
} satisfies PublicRefusal;

const operatingErrors = [
  ServiceUnreachable,
  BusOverloaded,
  PendingRepliesFull,
  BatcherFull,
  SemaphoreFull,
  DeadlineExceeded,
];

/** An error as a refusal, an unavailable dependency, or a fault. */
export function toRefused(cause: unknown): Refused {
  if (cause instanceof Refused) return cause;
  const isUnavailable =
    operatingErrors.some((kind) => cause instanceof kind) || isMongoUnavailable(cause);
  return new Refused(isUnavailable ? unavailable : { code: 'internal_error' }, { cause });
}

/** The same for the public API: a code that it does not document is a fault. */
export function toPublicRefused(error: unknown): Refused<PublicRefusal> {
  const refused = toRefused(error);
  if (hasPublicCode(refused)) return refused;
  const isChange = refused.refusal.code === 'concurrent_change';
  return new Refused(isChange ? changedMeanwhile : { code: 'internal_error' }, { cause: error });
}

function hasPublicCode(refused: Refused): refused is Refused<PublicRefusal> {
  return isOn(refused.refusal.code, 'public');
}
