import { errorCodes } from '@inventory/contracts/http/error-codes';
import type { ErrorMeta } from '@inventory/contracts/http/meta';
import type { RequestId } from '@inventory/contracts/ids';
import type { Logger } from '@inventory/runtime/logger';
import type { Refusal } from './refusal.ts';
import type { PublicContext, PublicMiddleware, RequestState } from './request-state.ts';
import { toRefusal } from './to-refusal.ts';
import { v1Failure } from './v1-failures.ts';

export interface RenderErrorsDeps {
  readonly prices: { current(): number | null };
  readonly logger: Logger;
}

/** The only place that turns a failure into a status and a body. */
export function renderErrors({ prices, logger }: RenderErrorsDeps): PublicMiddleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal.status >= 500) {
        const { requestId: request_id, route } = context.state;
        const level = refusal.code === 'internal_error' ? 'error' : 'warn';
        logger[level]({ err: refusal.cause, request_id, route: route?.template }, refusal.code);
      }
      renderRefusal(context, refusal, prices.current());
    }
  };
}

/** Makes a refusal the answer, in the dialect of the path that was asked. */
export function renderRefusal(
  context: PublicContext,
  refusal: Refusal,
  priceVersion: number | null,
): void {
  const { state } = context;
  state.errorCode = refusal.code;
  context.status = refusal.status;
  context.set(refusal.headers);
  if (state.v1 === undefined) {
    context.body = errorText(refusal, metaOf(state, refusal, priceVersion));
  } else {
    const { body, headers } = v1Failure(state.v1, refusal, state.requestId);
    context.set(headers);
    context.body = body;
  }
  context.type = 'json';
}

/** The body of every error, whoever sends it. */
export function errorText(refusal: Refusal, meta: ErrorMeta): Buffer {
  const { code, detail } = refusal;
  const { message } = errorCodes[code];
  const error = { code, message, request_id: meta.request_id, ...(detail ? { detail } : {}) };
  return Buffer.from(JSON.stringify({ success: false, error, meta }));
}

/** Once the account is known, a billed operation says what it cost: nothing, unless told. */
function metaOf(state: RequestState, refusal: Refusal, priceVersion: number | null): ErrorMeta {
  const meta: { request_id: RequestId } = { request_id: state.requestId };
  const product = state.route?.product;
  if (product === undefined || state.authority === undefined) return meta;
  return {
    ...meta,
    product_code: product,
    ...(priceVersion === null ? {} : { price_version: priceVersion }),
    credits_charged: 0,
    ...refusal.billing,
    ...(state.rateLimit ? { rate_limit: state.rateLimit } : {}),
  };
}
