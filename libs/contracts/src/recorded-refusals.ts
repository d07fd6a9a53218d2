import { z } from 'zod';
import {
  type BillingRefusal,
  billingRefusal,
  type FundsRefusal,
  type RefreshRefusal,
  refreshRefusal,
} from './refusal.ts';
import { admissionReason } from './vocabulary.ts';

/**
 * Refusals as records hold them. Those of earlier releases have another form, which is read and
 * never written: the schemas turn it into the present one.
 */

const spendCap = {
  cap: z.int().min(0).optional(),
  spent: z.int().min(0).optional(),
  resets_at: z.iso.datetime().optional(),
};
const fundsCodes = ['insufficient_credits', 'insufficient_units', 'spend_cap_reached'] as const;

interface EarlierFunds {
  readonly code: (typeof fundsCodes)[number];
  readonly required: number | null;
  readonly available: number | null;
  readonly cap?: number | undefined;
  readonly spent?: number | undefined;
  readonly resets_at?: string | undefined;
}

/** The oldest records of a spend cap have no month: `detail` is absent then. */
function fromEarlierFunds(earlier: EarlierFunds): FundsRefusal {
  const { code, required, available, cap, spent, resets_at } = earlier;
  if (code !== 'spend_cap_reached') {
    return { code, detail: { required: required ?? 0, available: available ?? 0 } };
  }
  if (cap === undefined || spent === undefined || resets_at === undefined) return { code };
  return { code, detail: { cap, spent, resets_at } };
}

const earlierBillingRefusal = z
  .object({
    code: z.enum([
      ...fundsCodes,
      'command_conflict',
      'hold_unknown',
      'already_reversed',
      'charge_unknown',
      'balance_limit_exceeded',
    ]),
    required: z.int().nullable(),
    available: z.int().nullable(),
    ...spendCap,
  })
  .transform(({ code, ...figures }): BillingRefusal => {
    switch (code) {
      case 'insufficient_credits':
      case 'insufficient_units':
      case 'spend_cap_reached':
        return fromEarlierFunds({ code, ...figures });
      case 'command_conflict':
        return { code: 'idempotency_conflict' };
      default:
        return { code };
    }
  });

type OutstandingLimit = Extract<RefreshRefusal, { code: 'outstanding_limit_exceeded' }>;

/** Earlier ones had one kind of limit. */
function outstandingOf(refusal: Omit<OutstandingLimit, 'detail'>, max: number): OutstandingLimit {
  return { ...refusal, detail: { limit: 'account_count', outstanding_max: max } };
}

const earlierRefreshRefusals = [
  z
    .object({
      code: z.enum(fundsCodes),
      required: z.int(),
      available: z.int(),
      ...spendCap,
    })
    .transform(fromEarlierFunds),
  z
    .object({
      code: z.literal('outstanding_limit_exceeded'),
      limit: z.int(),
      retry_after_seconds: z.int(),
    })
    .transform(({ limit, ...refusal }) => outstandingOf(refusal, limit)),
  z
    .object({
      code: z.literal('outstanding_limit_exceeded'),
      detail: z.object({ limit: z.int() }),
      retry_after_seconds: z.int(),
    })
    .transform(({ detail, ...refusal }) => outstandingOf(refusal, detail.limit)),
  z
    .object({
      code: z.literal('product_unavailable'),
      reason: admissionReason,
      retry_after_seconds: z.int(),
    })
    .transform(
      ({ reason, ...refusal }): RefreshRefusal => ({
        ...refusal,
        detail: { admission_state: 'closed', reason },
      }),
    ),
  z
    .object({ code: z.literal('cancelled') })
    .transform((): RefreshRefusal => ({ code: 'service_unavailable', retry_after_seconds: 1 })),
] as const;

/** Of a command. Earlier forms come first: the present one would take them without their figures. */
export const recordedBillingRefusal = z.union([earlierBillingRefusal, billingRefusal]);

/** Of a refresh. */
export const recordedRefreshRefusal = z.union([...earlierRefreshRefusals, refreshRefusal]);
