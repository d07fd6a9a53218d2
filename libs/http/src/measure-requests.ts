import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { histogram, secondsBuckets } from '@inventory/runtime/instruments';
import { nameRequestSpan } from '@inventory/runtime/tracing';
import type { Middleware } from 'koa';
import type { MatchState } from './match-route.ts';
import type { Endpoint } from './route.ts';

const knownMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'] as const;
type LabelledMethod = (typeof knownMethods)[number] | '_OTHER';

const requestDuration = histogram({
  name: 'http.server.request.duration',
  description: 'Time from the arrival of a request until its connection took the whole response',
  unit: 's',
  labels: {
    'inventory.api': ['public', 'operator', 'internal'],
    'http.request.method': [...knownMethods, '_OTHER'],
    'http.route': {
      words: 'route templates with `{name}` for each parameter; absent where none matched',
      pattern: /^(\/([A-Za-z0-9_.-]{1,40}|\{[a-z_]{1,40}\}))+$/,
    },
    'http.response.status_code': { words: 'HTTP status codes', pattern: /^[1-5]\d\d$/ },
    'error.type': {
      words: 'error codes of the responses; absent on success',
      pattern: /^[a-z0-9_]{3,50}$/,
    },
  },
  buckets: secondsBuckets,
});

/** Rate, errors and duration of each route, from arrival until the connection took the response. */
export function measureRequests(
  api: 'public' | 'operator' | 'internal',
): Middleware<MatchState<Endpoint> & { errorCode?: string }> {
  return async (context, next) => {
    const startMs = monotonicNow();
    const { req, res, state } = context;
    res.once('close', () => {
      const route = state.route?.template;
      const errorCode = state.errorCode ?? errorCodeOf(context.body);
      requestDuration.record(elapsedSince(startMs) / 1_000, {
        'inventory.api': api,
        'http.request.method': methodLabel(req.method),
        'http.response.status_code': res.statusCode,
        ...(route === undefined ? {} : { 'http.route': route }),
        ...(errorCode === undefined ? {} : { 'error.type': errorCode }),
      });
    });
    try {
      await next();
    } finally {
      if (state.route) nameRequestSpan(req.method ?? '', state.route.template);
    }
  };
}

function methodLabel(method: string | undefined): LabelledMethod {
  return knownMethods.find((known) => known === method) ?? '_OTHER';
}

/** Errors of operator and internal API have one shape. */
function errorCodeOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
  const { error } = body as { error?: { code?: unknown } };
  return typeof error?.code === 'string' ? error.code : undefined;
}
