import type { refreshAcceptanceMeta } from '@inventory/contracts/http/meta';
import { maxCreditsMin, type RefreshRecord } from '@inventory/contracts/http/refresh';
import type { PriceList } from '@inventory/contracts/internal/ledger';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { Refusal } from '@inventory/contracts/refusal';
import type { Permission, ProductCode } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { unreachable } from '@inventory/runtime/bug';
import type { z } from 'zod';
import { type Funds, isFundsRefusal } from '../accounts/funds.ts';
import type { PriceVersion } from '../accounts/prices.ts';
import type { AdmittedRequest } from '../http/answer.ts';
import { mayUse } from '../tenancy/principal.domain.ts';
import type { CollectorClient } from './collector-client.ts';
import { toWireAcceptedRecord, toWireSavedRecord } from './refresh-answer.ts';
import {
  type AcceptedReservation,
  type RefreshDecision,
  type RefreshRequest,
  type RequestRefreshDeps,
  requestRefresh,
} from './request-refresh.ts';

const currentPermission = 'platform.inventory.current.page.v1' satisfies Permission;
export const refreshProduct = 'platform.inventory.refresh.v1' satisfies ProductCode;

export interface WantedRefresh {
  readonly scope: InventoryKey;
  readonly language: Language;
  readonly maxCredits: number;
  /** Absent where the platform is always scanned. */
  readonly maxAgeSeconds: number | undefined;
  readonly idempotencyKey: string | null;
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

export type AcceptanceTerms = Omit<
  z.infer<typeof refreshAcceptanceMeta>,
  'request_id' | 'rate_limit'
>;

export interface AdmitRefreshDeps extends RequestRefreshDeps {
  /** Their reservation is the smallest allowed `max_credits`, where it is more than 125. */
  readonly prices: Pick<PriceVersion, 'readPrices'>;
  readonly funds: Pick<Funds, 'recheckFunds' | 'recordRefusal'>;
  readonly collector: Pick<CollectorClient, 'findRefresh' | 'findAttempt'>;
}

/** Admits one refresh, alone or of a batch, or returns the one of its key. Throws the refusal. */
export async function admitRefresh(
  deps: AdmitRefreshDeps,
  {
    requestId,
    principal,
    counted,
  }: Pick<AdmittedRequest, 'requestId' | 'principal'> & Partial<Pick<AdmittedRequest, 'counted'>>,
  wanted: WantedRefresh,
): Promise<AdmittedRefresh> {
  const prices = await deps.prices.readPrices();
  const freshness = freshnessOf(principal, wanted, prices);
  const refusal = await earlyRefusal(deps, principal, wanted, {
    reservation: prices.refresh_reservation,
    maxAgeSeconds: freshness?.max_age_seconds ?? null,
  });
  if (refusal !== null) throw new Refused(refusal);
  const { accountId, projectId } = principal;
  const maxAgeSeconds = wanted.maxAgeSeconds ?? null;
  const request = {
    ...{ ...wanted, requestId, accountId, projectId, maxAgeSeconds, freshness },
    ...(counted && { counted }),
  };
  const decision = await requestRefresh(deps, request);
  if (decision.result === 'refused' && isFundsRefusal(decision.refusal)) {
    deps.funds.recordRefusal({ accountId, projectId, productCode: refreshProduct });
  }
  return toAdmitted(decision, wanted.scope);
}

/** What Current would sell to the Credential may answer its refresh; without that it is scanned. */
function freshnessOf(
  principal: AdmittedRequest['principal'],
  { maxAgeSeconds }: WantedRefresh,
  { version }: PriceList,
): RefreshRequest['freshness'] {
  if (maxAgeSeconds === undefined || !mayUse(principal, currentPermission)) return null;
  return { max_age_seconds: maxAgeSeconds, price_version: version };
}

interface EarlyTerms {
  readonly reservation: number;
  /** Null where no saved observation may answer. */
  readonly maxAgeSeconds: number | null;
}

/**
 * What is refused here, without a command. A known key is answered whatever the price list in force
 * says, and without funds: its refresh was admitted. Admission refuses before funds. One that a saved
 * observation answers needs none.
 */
async function earlyRefusal(
  { collector, funds }: AdmitRefreshDeps,
  { accountId, projectId }: AdmittedRequest['principal'],
  { scope, language, maxCredits, idempotencyKey }: WantedRefresh,
  { reservation, maxAgeSeconds }: EarlyTerms,
): Promise<Refusal | null> {
  const attempt = { accountId, projectId, scope, language, maxAgeSeconds, idempotencyKey };
  const minimum = Math.max(maxCreditsMin, reservation);
  if (maxCredits < minimum) {
    const canBeKnown = idempotencyKey !== null && maxCredits >= maxCreditsMin;
    if (canBeKnown && (await collector.findAttempt(attempt)).is_known_key) return null;
    return { code: 'max_credits_too_low', detail: { minimum } };
  }
  const purchase = { accountId, projectId, productCode: refreshProduct } as const;
  const withoutFunds = await funds.recheckFunds(purchase);
  if (withoutFunds === null) return null;
  // Without an answer the command decides.
  const found = await collector.findAttempt(attempt).catch(() => null);
  if (found === null || found.is_known_key || found.is_saved) return null;
  return found.refusal ?? withoutFunds;
}

function toAdmitted(decision: RefreshDecision, scope: InventoryKey): AdmittedRefresh {
  switch (decision.result) {
    case 'accepted': {
      const record = toWireAcceptedRecord({ ...decision, scope });
      const { retryAfterSeconds } = decision;
      return {
        status: 202,
        record,
        meta: metaOf(decision),
        retryAfterSeconds,
        isReplay: false,
      };
    }
    case 'saved': {
      const record = toWireSavedRecord(decision, scope);
      const meta = savedMeta(decision.priceVersion);
      return { status: 200, record, meta, retryAfterSeconds: null, isReplay: false };
    }
    case 'replayed': {
      const { record, retry_after_seconds: retryAfterSeconds } = decision.view;
      const isSaved = record.served_from === 'saved';
      const meta = isSaved ? savedMeta(decision.priceVersion) : metaOf(decision);
      return { status: isSaved ? 200 : 202, record, meta, retryAfterSeconds, isReplay: true };
    }
    case 'refused':
      throw new Refused(decision.refusal);
    default:
      return unreachable(decision);
  }
}

function savedMeta(priceVersion: number): AcceptanceTerms {
  return {
    product_code: refreshProduct,
    price_version: priceVersion,
    credits_reserved: 0,
    billing_disposition: 'not_charged',
  };
}

function metaOf({ priceVersion, creditsReserved, units }: AcceptedReservation): AcceptanceTerms {
  const terms = {
    product_code: refreshProduct,
    price_version: priceVersion,
    credits_reserved: creditsReserved,
    billing_disposition: 'reserved',
  } as const;
  if (units === null) return terms;
  return {
    ...terms,
    billing_reason: 'subscription_allowance',
    funding: 'subscription',
    units_reserved: units.reserved,
    units_charged: 0,
    units_remaining: units.remaining,
  };
}
