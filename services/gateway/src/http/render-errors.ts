import { type Billing, type ErrorMeta, errorMeta } from '@inventory/contracts/http/error-body';
import type { Refusal } from '@inventory/contracts/refusal';
import type { RenderRefusal } from '@inventory/http/refuse-unreadable';
import { errorOf, type Refused, statusOf } from '@inventory/http/refused';
import { targetOf } from '@inventory/http/request-target';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import { z } from 'zod';
import { commonHeaders, newRequestId } from './assign-request-id.ts';
import { BilledRefused } from './billed-refused.ts';
import type { PublicContext, PublicMiddleware, RequestState } from './request-state.ts';
import { toPublicRefused } from './to-refused.ts';
import { v1TargetOf } from './v1/v1-dialect.ts';
import { v1Failure } from './v1/v1-failures.ts';

/** Turns every error of the public API into a status and a body. */
export function renderErrors(
  prices: { currentVersion(): number | null },
  logger: Logger,
): PublicMiddleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const refused = toPublicRefused(error);
      const { code } = refused.refusal;
      if (statusOf(refused.refusal) >= 500) {
        const { requestId, route } = context.state;
        const level = code === 'internal_error' ? 'error' : 'warn';
        logger[level]({ err: refused.cause, requestId, route: route?.template }, code);
      }
      renderRefused(context, refused, prices.currentVersion());
    }
  };
}

/** Renders a refusal in the dialect of the requested path. */
export function renderRefused(
  context: PublicContext,
  refused: Refused,
  priceVersion: number | null,
): void {
  const { state } = context;
  const { refusal, headers } = refused;
  const billing = refused instanceof BilledRefused ? refused.billing : {};
  state.errorCode = refusal.code;
  context.status = statusOf(refusal);
  context.set(headers);
  const v1 = v1TargetOf(targetOf(context.req.url).path);
  if (v1 === null) {
    context.body = errorText(refusal, metaOf(state, billing, priceVersion));
  } else {
    const failure = v1Failure(v1.dialect, { refusal, billing }, state.requestId);
    context.status = failure.status;
    context.set(failure.headers);
    context.body = failure.body;
  }
  context.type = 'json';
}

/** Renders the refusal of what is not read as a request. */
export function renderUnreadable(identifiers: Identifiers): RenderRefusal {
  return (refusal) => {
    const requestId = newRequestId(identifiers);
    return {
      headers: { ...commonHeaders, 'X-Request-ID': requestId },
      body: errorText(refusal, { requestId }),
    };
  };
}

/** The body of every V2 error. */
function errorText(refusal: Refusal, meta: ErrorMeta): Buffer {
  const { code, message, detail } = errorOf(refusal);
  const sent = z.encode(errorMeta, meta);
  const error = { code, message, request_id: sent.request_id, ...(detail ? { detail } : {}) };
  return Buffer.from(JSON.stringify({ success: false, error, meta: sent }));
}

/**
 * Once the account is known, the response of a billed operation states its cost: nothing by
 * default.
 */
function metaOf(
  { requestId, route, principal, rateLimit }: RequestState,
  billing: Billing,
  priceVersion: number | null,
): ErrorMeta {
  const productCode = route?.product;
  if (principal === undefined) return { requestId };
  const { environment } = principal;
  if (productCode === undefined) return { requestId, environment };
  return {
    requestId,
    environment,
    productCode,
    ...(priceVersion !== null && { priceVersion }),
    creditsCharged: 0,
    billingDisposition: 'not_charged',
    billingReason: null,
    ...billing,
    ...(rateLimit && { rateLimit }),
  };
}
