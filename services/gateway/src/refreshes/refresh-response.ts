import { currentPath } from '@inventory/contracts/http/current';
import type { AcceptanceTerms } from '@inventory/contracts/http/meta';
import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import type { RefreshAcceptance } from '@inventory/contracts/internal/refresh';
import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { ProductCode } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { invariant, unreachable } from '@inventory/runtime/bug';
import type { AttemptResult } from './refresh-attempt.ts';

export const refreshProduct = 'platform.inventory.refresh.v1' as const satisfies ProductCode;

type ResultOf<Result> = Extract<AttemptResult, { result: Result }>;

/** Text of the header in the reference. */
export const retryAfterText = 'Seconds after which to read the status again; absent once terminal.';

/** Null, and no header, once the refresh is terminal. */
export function retryAfterHeader(seconds: number | null): Record<string, string> {
  return seconds === null ? {} : { 'Retry-After': String(seconds) };
}

export interface AdmittedRefresh {
  /** 200 where a saved observation completed it. */
  readonly status: 200 | 202;
  readonly record: RefreshRecord;
  /** `meta` is that of the acceptance, also when the record has changed since. */
  readonly meta: AcceptanceTerms;
  /** Null once terminal. */
  readonly retryAfterSeconds: number | null;
  readonly isReplay: boolean;
}

/** The response to a decided request. Throws the refusal. */
export function toAdmitted(result: AttemptResult, request: RefreshRequest): AdmittedRefresh {
  switch (result.result) {
    case 'accepted':
      return {
        status: 202,
        record: acceptedRecord(result, request),
        meta: acceptanceMeta(result.reply),
        retryAfterSeconds: result.reply.retryAfterSeconds,
        isReplay: false,
      };
    case 'saved':
      return {
        status: 200,
        record: savedRecord(result, request),
        meta: savedMeta(result.reply.priceVersion),
        retryAfterSeconds: null,
        isReplay: false,
      };
    case 'replayed': {
      const { record, retryAfterSeconds, acceptance } = result.view;
      invariant(acceptance !== null, 'the accepted refresh has no acceptance');
      const isSaved = record.servedFrom === 'saved';
      const meta = isSaved ? savedMeta(acceptance.priceVersion) : acceptanceMeta(acceptance);
      return { status: isSaved ? 200 : 202, record, meta, retryAfterSeconds, isReplay: true };
    }
    case 'refused':
      throw new Refused(result.refusal);
    default:
      return unreachable(result);
  }
}

function savedMeta(priceVersion: number): AcceptanceTerms {
  return {
    productCode: refreshProduct,
    priceVersion,
    creditsReserved: 0,
    billingDisposition: 'not_charged',
  };
}

function acceptanceMeta(acceptance: RefreshAcceptance): AcceptanceTerms {
  const { priceVersion, creditsReserved, unitsReserved, unitsRemaining = 0 } = acceptance;
  const terms = {
    productCode: refreshProduct,
    priceVersion,
    creditsReserved,
    billingDisposition: 'reserved',
  } as const;
  if (unitsReserved === undefined) return terms;
  return {
    ...terms,
    billingReason: 'subscription_allowance',
    funding: 'subscription',
    unitsReserved,
    unitsCharged: 0,
    unitsRemaining,
  };
}

/** The record of a refresh at its acceptance, whatever its present state. */
function acceptedRecord(
  { reply: accepted }: ResultOf<'accepted'>,
  request: RefreshRequest,
): RefreshRecord {
  const { deadlineAtMs, creditsReserved, unitsReserved } = accepted;
  return {
    ...newRecord(request),
    state: 'queued',
    completedAtMs: null,
    deadlineAtMs,
    outcome: null,
    revisionId: null,
    servedFrom: 'scan',
    verifiedAtMs: null,
    billingState: 'reserved',
    billingDisposition: null,
    billing: {
      state: 'reserved',
      disposition: null,
      creditsReserved,
      creditsCharged: null,
      creditsReleased: null,
      ...(unitsReserved !== undefined && unitsHeld(unitsReserved)),
    },
  };
}

/** The record of a refresh that a saved observation completed. */
function savedRecord({ reply: saved }: ResultOf<'saved'>, request: RefreshRequest): RefreshRecord {
  const billing = { state: 'finalized', disposition: 'finalize_saved' } as const;
  const { completedAtMs, revisionId, verifiedAtMs } = saved;
  return {
    ...newRecord(request),
    state: 'completed',
    completedAtMs,
    deadlineAtMs: null,
    outcome: 'complete_unchanged',
    revisionId,
    links: { current: currentPath(request.scope) },
    servedFrom: 'saved',
    verifiedAtMs,
    billingState: billing.state,
    billingDisposition: billing.disposition,
    billing: { ...billing, creditsReserved: 0, creditsCharged: 0, creditsReleased: 0 },
  };
}

function newRecord({ refreshId, scope, requestedAtMs, watchId }: RefreshRequest) {
  return { refreshId, scope, requestedAtMs, watchId, productCode: refreshProduct } as const;
}

function unitsHeld(unitsReserved: number) {
  return {
    funding: 'subscription',
    unitsReserved,
    unitsCharged: null,
    unitsReleased: null,
  } as const;
}
