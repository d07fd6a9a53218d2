import { timingSafeEqual } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { isOn } from '@inventory/contracts/refusal-codes';
import { invariant } from '@inventory/runtime/bug';
import type { Logger } from '@inventory/runtime/logger';
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
  /** A call has to carry one of them; any call is served when there are none. */
  readonly serviceTokens: readonly string[];
  readonly logger: Logger;
}

/** Serves health, metrics and the routes of a service that other services call. */
export function createInternalApp(options: InternalAppOptions): RequestListener {
  const { routes } = options;
  const app = new Koa<MatchState<BoundInternalRoute>>();
  // Everything is answered by the middleware below; what remains is a client that went away.
  app.on('error', (error: unknown) => options.logger.debug({ err: error }, 'response not sent'));
  app.use(measureRequests('internal'));
  app.use(answerErrors(options.logger));
  app.use(requireServiceToken(options.serviceTokens));
  app.use(matchRoute(routes));
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

function answerErrors(logger: Logger): Middleware {
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

function runRoute(): Middleware<MatchState<BoundInternalRoute>> {
  return async (context) => {
    const { route, pathValues } = context.state;
    invariant(route !== undefined && pathValues !== undefined, 'the request has no route');
    const raw = await readInput(context.req, route, { pathValues, mayOmitBody: false });
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

function requireServiceToken(tokens: readonly string[]): Middleware {
  return async (context, next) => {
    const given = context.get(serviceTokenHeader);
    if (tokens.length > 0 && !tokens.some((token) => equalSecrets(given, token))) {
      throw new Refused({ code: 'service_token_required' });
    }
    await next();
  };
}

/** Compares without telling by time how much of a guess was right. */
export function equalSecrets(given: string, expected: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(expected);
  return left.length === right.length && timingSafeEqual(left, right);
}
