import { currentPath } from '@inventory/contracts/http/current';
import type { refreshAcceptanceMeta } from '@inventory/contracts/http/meta';
import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { ProductCode } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { invariant, unreachable } from '@inventory/runtime/bug';
import type { z } from 'zod';
import type { RefreshDecision } from './refresh-attempt.ts';

export const refreshProduct = 'platform.inventory.refresh.v1' satisfies ProductCode;

type Acceptance = NonNullable<RefreshView['acceptance']>;
type Decided<Result> = Extract<RefreshDecision, { result: Result }>;

/** Text of the header in the reference. */
export const retryAfterText = 'Seconds after which to read the status again; absent once terminal.';

/** Null, and no header, once the refresh is terminal. */
export function retryAfterHeader(seconds: number | null): Record<string, string> {
  return seconds === null ? {} : { 'Retry-After': String(seconds) };
}

export interface AdmittedRefresh {
  /** 200 where a saved observation answered. */
  readonly status: 200 | 202;
  readonly record: RefreshRecord;
  /** `meta` is that of the acceptance, also when the record has changed since. */
  readonly meta: AcceptanceTerms;
  /** Null once terminal. */
  readonly retryAfterSeconds: number | null;
  readonly isReplay: boolean;
}

type AcceptanceTerms = Omit<z.infer<typeof refreshAcceptanceMeta>, 'request_id' | 'rate_limit'>;

/** What is answered to a decided request. Throws the refusal. */
export function toAdmitted(decision: RefreshDecision, scope: InventoryKey): AdmittedRefresh {
  switch (decision.result) {
    case 'accepted':
      return {
        status: 202,
        record: toWireAcceptedRecord(decision, scope),
        meta: acceptanceMeta(decision.reply),
        retryAfterSeconds: decision.reply.retry_after_seconds,
        isReplay: false,
      };
    case 'saved':
      return {
        status: 200,
        record: toWireSavedRecord(decision, scope),
        meta: savedMeta(decision.reply),
        retryAfterSeconds: null,
        isReplay: false,
      };
    case 'replayed': {
      const { record, retry_after_seconds: retryAfterSeconds, acceptance } = decision.view;
      invariant(acceptance !== null, 'the accepted refresh has no acceptance');
      const isSaved = record.served_from === 'saved';
      const meta = isSaved ? savedMeta(acceptance) : acceptanceMeta(acceptance);
      return { status: isSaved ? 200 : 202, record, meta, retryAfterSeconds, isReplay: true };
    }
    case 'refused':
      throw new Refused(decision.refusal);
    default:
      return unreachable(decision);
  }
}

function savedMeta({ price_version }: Pick<Acceptance, 'price_version'>): AcceptanceTerms {
  return {
    product_code: refreshProduct,
    price_version,
    credits_reserved: 0,
    billing_disposition: 'not_charged',
  };
}

function acceptanceMeta(acceptance: Acceptance): AcceptanceTerms {
  const { price_version, credits_reserved, units_reserved, units_remaining = 0 } = acceptance;
  const terms = {
    product_code: refreshProduct,
    price_version,
    credits_reserved,
    billing_disposition: 'reserved',
  } as const;
  if (units_reserved === undefined) return terms;
  return {
    ...terms,
    billing_reason: 'subscription_allowance',
    funding: 'subscription',
    units_reserved,
    units_charged: 0,
    units_remaining,
  };
}

/** The record of a refresh at its acceptance, whatever its present state. */
function toWireAcceptedRecord(
  { reply: accepted, requestedAt }: Decided<'accepted'>,
  scope: InventoryKey,
): RefreshRecord {
  return {
    refresh_id: accepted.refresh_id,
    scope,
    state: 'queued',
    requested_at: requestedAt,
    completed_at: null,
    deadline_at: accepted.deadline_at,
    outcome: null,
    revision_id: null,
    served_from: 'scan',
    verified_at: null,
    watch_id: null,
    product_code: refreshProduct,
    billing_state: 'reserved',
    billing_disposition: null,
    billing: {
      state: 'reserved',
      disposition: null,
      credits_reserved: accepted.credits_reserved,
      credits_charged: null,
      credits_released: null,
      ...(accepted.units_reserved !== undefined && unitsHeld(accepted.units_reserved)),
    },
  };
}

/** The record of a refresh that a saved observation answered. */
function toWireSavedRecord(
  { reply: saved, requestedAt }: Decided<'saved'>,
  scope: InventoryKey,
): RefreshRecord {
  const billing = { state: 'finalized', disposition: 'finalize_saved' } as const;
  return {
    refresh_id: saved.refresh_id,
    scope,
    state: 'completed',
    requested_at: requestedAt,
    completed_at: saved.completed_at,
    deadline_at: null,
    outcome: 'complete_unchanged',
    revision_id: saved.revision_id,
    links: { current: currentPath(scope) },
    served_from: 'saved',
    verified_at: saved.verified_at,
    watch_id: null,
    product_code: refreshProduct,
    billing_state: billing.state,
    billing_disposition: billing.disposition,
    billing: { ...billing, credits_reserved: 0, credits_charged: 0, credits_released: 0 },
  };
}

function unitsHeld(reserved: number) {
  return {
    funding: 'subscription',
    units_reserved: reserved,
    units_charged: null,
    units_released: null,
  } as const;
}
