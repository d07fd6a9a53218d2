import { isOn, type PublicCode, type PublicRefusal } from '@inventory/contracts/refusal-codes';
import { ServiceUnreachable } from '@inventory/http/internal-client';
import { Refused } from '@inventory/http/refused';
import { BusOverloaded } from '@inventory/messaging/bus';
import { PendingRepliesFull } from '@inventory/messaging/pending-replies';
import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import { BatcherFull } from '@inventory/runtime/concurrency';
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
  DeadlineExceeded,
];

/** An error as a refusal, an unavailable dependency, or a fault. */
export function toRefused(cause: unknown): Refused {
  if (cause instanceof Refused) return cause;
  const isUnavailable =
    operatingErrors.some((kind) => cause instanceof kind) || isMongoUnavailable(cause);
  return new Refused(isUnavailable ? unavailable : { code: 'internal_error' }, { cause });
}

/**
 * The same for the public API: a code that it does not document is a fault. A change at the same time
 * is worth another try, unless the operation documents it.
 */
export function toPublicRefused(
  error: unknown,
  documented: readonly PublicCode[] = [],
): Refused<PublicRefusal> {
  const refused = toRefused(error);
  const isChange = refused.refusal.code === 'concurrent_change';
  if (isChange && !documented.includes('concurrent_change')) {
    return new Refused(changedMeanwhile, { cause: error });
  }
  if (hasPublicCode(refused)) return refused;
  return new Refused({ code: 'internal_error' }, { cause: error });
}

function hasPublicCode(refused: Refused): refused is Refused<PublicRefusal> {
  return isOn(refused.refusal.code, 'public');
}
