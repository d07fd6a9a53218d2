import type { RefreshRefusal } from '@inventory/contracts/internal/refresh';
import type { Refusal } from '@inventory/contracts/refusal';

const retryAfterSeconds = 1;

/** The collector's refusal of an attempt, as clients see it. */
export function toRefusal(refused: RefreshRefusal): Refusal {
  switch (refused.code) {
    case 'insufficient_credits':
    case 'insufficient_units': {
      const { code, required, available } = refused;
      return { code, detail: { required, available } };
    }
    case 'spend_cap_reached': {
      const { code, cap, spent, resets_at } = refused;
      if (cap === undefined || spent === undefined || resets_at === undefined) return { code };
      return { code, detail: { cap, spent, resets_at } };
    }
    case 'outstanding_limit_exceeded': {
      const { code, limit, retry_after_seconds } = refused;
      return { code, detail: { limit }, retry_after_seconds };
    }
    case 'product_unavailable': {
      const { code, reason, retry_after_seconds } = refused;
      return { code, detail: { admission_state: 'closed', reason }, retry_after_seconds };
    }
    case 'cancelled':
      // Its command came too late, or somebody else cancelled the attempt: a new one is welcome.
      return { code: 'service_unavailable', retry_after_seconds: retryAfterSeconds };
  }
}
