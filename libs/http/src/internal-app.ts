import { timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { isOn } from '@inventory/contracts/refusal-codes';
import type { Logger } from '@inventory/runtime/logger';
import type Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { ZodError } from 'zod';
import { type HealthChecks, serveHealth } from './health.ts';
import { serviceTokenHeader } from './internal-client.ts';
import { measureRequests } from './measure-requests.ts';
import { errorOf, Refused, statusOf } from './refused.ts';

export interface InternalAppOptions {
  readonly router: Router;
  readonly health: HealthChecks;
  /** A call has to carry one of them; any call is served when there are none. */
  readonly serviceTokens: readonly string[];
  readonly logger: Logger;
}

/** The HTTP side of a service that only its fellow services call: health, metrics, its routes. */
export function createInternalApp(options: InternalAppOptions): RequestListener {
  const app = new Koa();
  // Everything is answered by the middleware below; what remains is a client that went away.
  app.on('error', (error: unknown) => options.logger.debug({ err: error }, 'response not sent'));
  app.use(measureRequests('internal'));
  app.use(answerErrors(options.logger));
  app.use(requireServiceToken(options.serviceTokens));
  app.use(options.router.routes());
  app.use(options.router.allowedMethods());
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
      if (context.body != null) return;
      if (context.status === 404) throw new Refused({ code: 'route_not_found' });
      if (context.status === 405 || context.status === 501) {
        throw new Refused({ code: 'method_not_allowed' });
      }
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
  if (error instanceof ZodError) {
    const issues = error.issues.map((issue) => ({
      in: 'body' as const,
      field: issue.path.join('.'),
      reason: issue.message,
    }));
    return new Refused({ code: 'invalid_request', detail: { issues } }, { cause: error });
  }
  const status = (error as { status?: unknown } | null)?.status;
  const isOfCaller = typeof status === 'number' && status >= 400 && status < 500;
  return new Refused({ code: isOfCaller ? 'malformed_request' : 'internal_error' });
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
