import type { RequestListener } from 'node:http';
import { equalSecrets } from '@inventory/http/internal-app';
import { type MatchState, matchRoute } from '@inventory/http/match-route';
import { measureRequests } from '@inventory/http/measure-requests';
import { readInput } from '@inventory/http/read-input';
import { Refused, statusOf } from '@inventory/http/refused';
import { sendReply } from '@inventory/http/reply';
import { invariant } from '@inventory/runtime/bug';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import { traceResponse } from '@inventory/runtime/tracing';
import Koa, { type Middleware } from 'koa';
import { createAudit } from './audit.ts';
import type { BoundOperatorRoute } from './operator-route.ts';
import { operatorError, toOperatorRefused } from './to-operator-refused.ts';

interface OperatorAppDeps {
  readonly routes: readonly BoundOperatorRoute[];
  readonly token: string;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

interface OperatorState extends MatchState<BoundOperatorRoute> {
  requestId: string;
}

export function createOperatorApp(options: OperatorAppDeps): RequestListener {
  const { routes, token, identifiers, logger } = options;
  const app = new Koa<OperatorState>();
  // The middleware below handles every error; only a closed connection remains.
  app.on('error', (error: unknown) => logger.debug({ err: error }, 'response not sent'));
  app.use(measureRequests('operator'));
  app.use(nameRequest(identifiers));
  app.use(answerErrors(logger));
  app.use(requireToken(token, logger));
  app.use(matchRoute(routes));
  app.use(runRoute(logger));
  const handle = app.callback();
  return (request, response) => void handle(request, response);
}

/** A response may contain a secret or a balance: it must not be cached. */
function nameRequest(identifiers: Identifiers): Middleware<OperatorState> {
  return async (context, next) => {
    context.state.requestId = `req_${identifiers.uuidV7()}`;
    context.set('X-Request-ID', context.state.requestId);
    context.set('Cache-Control', 'no-store');
    const response = traceResponse();
    if (response !== undefined) context.set('traceresponse', response);
    await next();
  };
}

function answerErrors(logger: Logger): Middleware<OperatorState> {
  return async (context, next) => {
    try {
      await next();
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

function requireToken(token: string, logger: Logger): Middleware<OperatorState> {
  return async (context, next) => {
    const [scheme = '', given = '', ...rest] = context.get('authorization').split(' ');
    const isBearer = scheme.toLowerCase() === 'bearer' && rest.length === 0;
    if (!isBearer || !equalSecrets(given, token)) {
      logger.warn({ request_id: context.state.requestId, peer: context.ip }, 'no operator token');
      context.set('WWW-Authenticate', 'Bearer');
      throw new Refused({ code: 'operator_token_required' });
    }
    await next();
  };
}

function runRoute(logger: Logger): Middleware<OperatorState> {
  const audit = createAudit(logger);
  return async (context) => {
    const { route, pathValues, requestId } = context.state;
    invariant(route !== undefined && pathValues !== undefined, 'the request has no route');
    const raw = await readInput(context.req, route, { pathValues, mayOmitBody: true });
    const result = await route.run(raw, {
      accepts: (...types) => context.accepts(...types),
      audit: (change) => audit({ requestId, ...change }),
    });
    sendReply(context, route.status, result);
  };
}
