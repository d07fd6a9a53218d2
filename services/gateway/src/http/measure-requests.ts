import { requestServed } from '@inventory/http/measure-requests';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { nameRequestSpan } from '@inventory/runtime/tracing';
import { trace } from '@opentelemetry/api';
import type { PublicMiddleware } from './request-state.ts';

/** Rate, errors and duration of each route, taken when the connection is done with the answer. */
export function measureRequests(): PublicMiddleware {
  return async (context, next) => {
    const { req, res, state } = context;
    const startMs = monotonicNow();
    const span = trace.getActiveSpan();
    res.once('close', () => {
      requestServed({
        api: 'public',
        durationMs: elapsedSince(startMs),
        method: req.method ?? '',
        route: state.route?.template,
        status: res.statusCode,
        errorCode: state.errorCode,
      });
    });
    try {
      await next();
    } finally {
      if (state.route) nameRequestSpan(req.method ?? '', state.route.template);
      span?.setAttribute('inventory.request_id', state.requestId);
    }
  };
}
