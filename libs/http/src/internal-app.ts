import { timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Logger } from '@inventory/runtime/logger';
import type Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { ZodError } from 'zod';
import { type HealthChecks, serveHealth } from './health.ts';
import { serviceTokenHeader } from './internal-client.ts';
import { measureRequests } from './measure-requests.ts';

export interface InternalAppOptions {
  readonly router: Router;
  readonly health: HealthChecks;
  /** A call has to carry one of them; any call is served when there are none. */
  readonly serviceTokens: readonly string[];
  readonly logger: Logger;
}

/** A refusal of an internal call, with the status its caller acts on. */
export class InternalRefusal extends Error {
  override name = 'InternalRefusal';
  readonly status: 400 | 404 | 409 | 410 | 413 | 422;
  readonly code: string;

  constructor(status: InternalRefusal['status'], code: string, message: string = code) {
    super(message);
    this.status = status;
    this.code = code;
  }
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

/** What the router leaves without a body. */
const unanswered: Readonly<Record<number, { code: string; message: string }>> = {
  404: { code: 'route_not_found', message: 'There is no such route.' },
  405: { code: 'method_not_allowed', message: 'The route does not have this method.' },
  501: { code: 'method_not_allowed', message: 'No route has this method.' },
};

function answerErrors(logger: Logger): Middleware {
  return async (context, next) => {
    try {
      await next();
      const { status } = context;
      const error = context.body == null ? unanswered[status] : undefined;
      if (error) {
        // Koa takes a body for a success unless the status was set with it.
        context.status = status;
        context.body = { error };
      }
    } catch (error) {
      const refused = toRefusal(error);
      if (refused.status >= 500) logger.error({ err: error, path: context.path }, 'call failed');
      context.status = refused.status;
      context.body = { error: { code: refused.code, message: refused.message } };
    }
  };
}

function toRefusal(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof InternalRefusal) return error;
  if (error instanceof ZodError) {
    const message = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    return { status: 422, code: 'invalid_request', message: message.join('; ') };
  }
  const status = (error as { status?: unknown }).status;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return { status, code: 'invalid_request', message: 'The request is not valid.' };
  }
  return { status: 500, code: 'internal_error', message: 'An internal error occurred.' };
}

function requireServiceToken(tokens: readonly string[]): Middleware {
  return async (context, next) => {
    const given = context.get(serviceTokenHeader);
    if (tokens.length > 0 && !tokens.some((token) => equalSecrets(given, token))) {
      context.status = 401;
      context.body = { error: { code: 'service_token_required', message: 'Not for you.' } };
      return;
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
