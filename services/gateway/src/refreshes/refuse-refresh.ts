import type { RefreshRefusal } from '@inventory/contracts/internal/refresh';
import { unreachable } from '@inventory/runtime/bug';
import { type Refusal, refuse, refuseForNow } from '../http/refusal.ts';

const retryAfterSeconds = 1;

/** The collector's refusal of an attempt, as clients see it. */
export function refuseRefresh(refusal: RefreshRefusal): Refusal {
  switch (refusal.code) {
    case 'insufficient_credits':
    case 'insufficient_units':
      return refuse(refusal.code, {
        detail: { required: refusal.required, available: refusal.available },
      });
    case 'spend_cap_reached': {
      const { required, available, cap, spent, resets_at } = refusal;
      // A refusal that is older than these fields says only how much was missing.
      const detail = cap === undefined ? { required, available } : { cap, spent, resets_at };
      return refuse(refusal.code, { detail });
    }
    case 'outstanding_limit_exceeded':
      return refuseForNow(refusal.code, refusal.retry_after_seconds, {
        detail: { limit: refusal.limit },
      });
    case 'product_unavailable':
      return refuseForNow(refusal.code, refusal.retry_after_seconds, {
        detail: { admission_state: 'closed', reason: refusal.reason },
      });
    case 'cancelled':
      // Its command came too late, or somebody else cancelled the attempt: a new one is welcome.
      return refuseForNow('service_unavailable', retryAfterSeconds);
    default:
      return unreachable(refusal);
  }
}
