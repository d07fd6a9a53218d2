import type { RequestListener, ServerResponse } from 'node:http';
import { isOn } from '@inventory/contracts/refusal-codes';
import { invariant } from '@inventory/runtime/bug';
import type { Logger } from '@inventory/runtime/logger';
import { secretDigest } from '@inventory/runtime/secret-digest';
import type { ServiceCaller } from '@inventory/runtime/service-settings';
import Koa, { type Middleware } from 'koa';
import { type HealthChecks, serveHealth } from './health.ts';
import { serviceTokenHeader } from './internal-client.ts';
import type { BoundInternalRoute, InternalRequest } from './internal-route.ts';
import { limitInFlight } from './limit-in-flight.ts';
import { type MatchState, matchRoute } from './match-route.ts';
import { measureRequests } from './measure-requests.ts';
import { readInput } from './read-input.ts';
import { errorOf, Refused, statusOf } from './refused.ts';
import { sendReply } from './reply.ts';

export interface InternalAppOptions {
  readonly routes: readonly BoundInternalRoute[];
  readonly health: HealthChecks;
  /** A call has to carry the token of one of them; any call is served when there are none. */
  readonly callers: readonly ServiceCaller[];
  readonly logger: Logger;
}

interface InternalState extends MatchState<BoundInternalRoute> {
  /** The services that have the token of the call; several while they share one. */
  callers?: readonly string[];
}

/** Serves health, metrics and the routes of a service that other services call. */
export function createInternalApp(options: InternalAppOptions): RequestListener {
  const { routes, callers } = options;
  const app = new Koa<InternalState>();
  // The middleware below responds to everything; what remains is a client that went away.
  app.on('error', (error: unknown) => options.logger.debug({ err: error }, 'response not sent'));
  app.use(measureRequests('internal'));
  app.use(respondToErrors(options.logger));
  const isGuarded = callers.length > 0;
  if (isGuarded) app.use(identifyCaller(callers));
  app.use(matchRoute(routes));
  if (isGuarded) app.use(requireNamedCaller(options.logger));
  app.use(limitInFlight(routes));
  app.use(runRoute());
  const handle = app.callback();
  return (request, response) => {
    serveHealth(options.health, request, response).then(
      (served) => {
        if (!served) void handle(request, response);
      },
      (error: unknown) => {
        options.logger.error({ err: error }, 'health check failed');
        response.writeHead(500).end();
      },
    );
  };
}

function respondToErrors(logger: Logger): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const { refusal, headers } = toRefused(error);
      const status = statusOf(refusal);
      if (status >= 500) logger.error({ err: error, path: context.path }, 'call failed');
      context.status = status;
      context.set(headers);
      context.body = { error: { ...refusal, message: errorOf(refusal).message } };
    }
  };
}

function toRefused(error: unknown): Refused {
  if (error instanceof Refused && isOn(error.refusal.code, 'internal')) return error;
  return new Refused({ code: 'internal_error' }, { cause: error });
}

function runRoute(): Middleware<InternalState> {
  return async (context) => {
    const { route, pathValues } = context.state;
    invariant(route !== undefined && pathValues !== undefined, 'the request has no route');
    const raw = await readInput(context.req, route, pathValues, false);
    sendReply(context, route.status, await route.run(raw, requestOf(context.res)));
  };
}

/** A response has listeners for its end only where a handler uses the signal. */
function requestOf(response: ServerResponse): InternalRequest {
  return {
    get signal() {
      const closed = new AbortController();
      response.once('close', () => closed.abort());
      return closed.signal;
    },
  };
}

/** Digests are compared, not tokens: how much of one matches discloses nothing of a token. */
function identifyCaller(known: readonly ServiceCaller[]): Middleware<InternalState> {
  return async (context, next) => {
    const token = context.get(serviceTokenHeader);
    const digest = secretDigest(token);
    const callers = known.filter(({ tokenDigest }) => token !== '' && tokenDigest === digest);
    if (callers.length === 0) throw new Refused({ code: 'service_token_required' });
    context.state.callers = callers.map(({ name }) => name);
    await next();
  };
}

/** Refuses a service that the matched route does not name. */
function requireNamedCaller(logger: Logger): Middleware<InternalState> {
  return async ({ state: { route, callers = [] }, path }, next) => {
    invariant(route !== undefined, 'the request has no route');
    const named: readonly string[] = route.callers;
    if (!callers.some((name) => named.includes(name))) {
      logger.warn({ callers, path }, 'the route does not name its caller');
      throw new Refused({ code: 'caller_not_permitted' });
    }
    await next();
  };
}
