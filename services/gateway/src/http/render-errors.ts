import { errorCodes } from '@inventory/contracts/http/error-codes';
import type { ErrorMeta } from '@inventory/contracts/http/meta';
import type { RequestId } from '@inventory/contracts/ids';
import type { Logger } from '@inventory/runtime/logger';
import type { Refusal } from './refusal.ts';
import type { PublicMiddleware, RequestState } from './request-state.ts';
import { toRefusal } from './to-refusal.ts';

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
      const { state } = context;
      if (refusal.status >= 500) {
        const level = refusal.code === 'internal_error' ? 'error' : 'warn';
        const { requestId: request_id, route } = state;
        logger[level]({ err: refusal.cause, request_id, route: route?.template }, refusal.code);
      }
      state.errorCode = refusal.code;
      context.status = refusal.status;
      context.set(refusal.headers);
      context.type = 'json';
      context.body = errorText(refusal, metaOf(state, refusal, prices.current()));
    }
  };
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
