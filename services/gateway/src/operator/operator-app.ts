import type { RequestListener } from 'node:http';
import { equalSecrets } from '@inventory/http/internal-app';
import { measureRequests } from '@inventory/http/measure-requests';
import { Refused, statusOf } from '@inventory/http/refused';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import { traceResponse } from '@inventory/runtime/tracing';
import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { type Audit, createAudit, namedIn } from './audit.ts';
import type { OperatorRoute } from './operator-route.ts';
import { operatorError, toOperatorRefused } from './to-operator-refused.ts';

interface OperatorAppDeps {
  readonly routes: readonly OperatorRoute[];
  readonly token: string;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

const bodyBytesMax = 16 * 1024;

export function createOperatorApp(options: OperatorAppDeps): RequestListener {
  const { routes, token, identifiers, logger } = options;
  const app = new Koa();
  // Everything is answered by the middleware below; what remains is a client that went away.
  app.on('error', (error: unknown) => logger.debug({ err: error }, 'response not sent'));
  app.use(measureRequests('operator'));
  app.use(nameRequest(identifiers));
  app.use(answerErrors(logger));
  app.use(requireToken(token, logger));
  app.use(readBody());
  const router = new Router({ prefix: '/operator/v1', strict: true, sensitive: true });
  const audit = createAudit(logger);
  for (const route of routes) router[route.method](route.path, serve(route, audit));
  app.use(router.routes());
  app.use(router.allowedMethods());
  const handle = app.callback();
  return (request, response) => void handle(request, response);
}

/** The answer may carry a secret or a balance: no cache keeps it. */
function nameRequest(identifiers: Identifiers): Middleware {
  return async (context, next) => {
    context.state['requestId'] = `req_${identifiers.uuidV7()}`;
    context.set('X-Request-ID', context.state['requestId']);
    context.set('Cache-Control', 'no-store');
    const response = traceResponse();
    if (response !== undefined) context.set('traceresponse', response);
    await next();
  };
}

function answerErrors(logger: Logger): Middleware {
  return async (context, next) => {
    try {
      await next();
      if (context.body !== undefined) return;
      if (context.status === 404) throw new Refused({ code: 'route_not_found' });
      if (context.status === 405 || context.status === 501) {
        throw new Refused({ code: 'method_not_allowed' });
      }
    } catch (error) {
      const refused = toOperatorRefused(error);
      const { code } = refused.refusal;
      const status = statusOf(refused.refusal);
      if (status >= 500) {
        const { requestId } = context.state;
        logger.error({ err: error, request_id: requestId, code }, 'operator call failed');
      }
      context.status = status;
      context.set(refused.headers);
      context.body = { error: operatorError(refused) };
    }
  };
}

function requireToken(token: string, logger: Logger): Middleware {
  return async (context, next) => {
    const [scheme = '', given = '', ...rest] = context.get('authorization').split(' ');
    const isBearer = scheme.toLowerCase() === 'bearer' && rest.length === 0;
    if (!isBearer || !equalSecrets(given, token)) {
      logger.warn(
        { request_id: context.state['requestId'], peer: context.ip },
        'no operator token',
      );
      context.set('WWW-Authenticate', 'Bearer');
      throw new Refused({ code: 'operator_token_required' });
    }
    await next();
  };
}

/** An absent body is an empty object; a body of another type than JSON is refused. */
function readBody(): Middleware {
  const parse = bodyParser({
    enableTypes: ['json'],
    jsonLimit: bodyBytesMax,
    jsonStrict: false,
    parsedMethods: ['POST', 'PUT'],
  });
  return async (context, next) => {
    const isEmpty = context.get('content-length') === '0';
    if (!isEmpty && context.is('application/json') === false) {
      throw new Refused({ code: 'unsupported_media_type' });
    }
    await parse(context, async () => {
      if (context.request.body === '') context.request.body = {};
      await next();
    });
  };
}

function serve(route: OperatorRoute, audit: Audit): Middleware {
  return async (context) => {
    const parsed = route.parse(context);
    const record = (end: object): void => {
      if (route.action === undefined) return;
      const { requestId } = context.state;
      audit({
        requestId,
        action: route.action,
        target: parsed['path'],
        change: parsed['body'],
        end,
      });
    };
    try {
      const answer = await route.handle(parsed, context);
      record({ ...namedIn(answer), outcome: 'done' });
      context.status = route.status;
      if (answer !== undefined) context.body = answer;
    } catch (error) {
      record({ outcome: toOperatorRefused(error).refusal.code });
      throw error;
    }
  };
}
