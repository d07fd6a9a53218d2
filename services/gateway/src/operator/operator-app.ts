import type { RequestListener } from 'node:http';
import { matchRoute } from '@inventory/http/match-route';
import { measureRequests } from '@inventory/http/measure-requests';
import { acceptedType } from '@inventory/http/media-type';
import { readInput } from '@inventory/http/read-input';
import { statusOf } from '@inventory/http/refused';
import { sendReply } from '@inventory/http/reply';
import { invariant } from '@inventory/runtime/bug';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import { traceResponse } from '@inventory/runtime/tracing';
import Koa, { type Middleware } from 'koa';
import { createPeerBuckets } from '../http/limits/peer-buckets.ts';
import { type Audit, createAudit } from './audit.ts';
import { identifyOperator, type OperatorState, requireRole } from './identify-operator.ts';
import type { OperatorConfig } from './operator-config.ts';
import { operatorRoutes } from './operator-routes.ts';
import type { OperatorServices } from './operator-services.ts';
import { operatorError, toOperatorRefused } from './to-operator-refused.ts';

/** The operator API, `/operator/v1/…`. */
export function openOperatorApi(
  services: OperatorServices,
  { operators, attemptsPerMinute: perMinute }: OperatorConfig['operatorApi'],
  logger: Logger,
): RequestListener {
  const { auditStore: store, clock, identifiers } = services;
  const audit = createAudit({ store, clock, identifiers, logger });
  const attempts = createPeerBuckets(perMinute, clock);
  const routes = operatorRoutes.map((route) => route.bind(services));
  const app = new Koa<OperatorState>();
  // The middleware below handles every error; only a closed connection remains.
  app.on('error', (error: unknown) => logger.debug({ err: error }, 'response not sent'));
  app.use(measureRequests('operator'));
  app.use(nameRequest(identifiers));
  app.use(errorResponses(logger));
  app.use(identifyOperator({ operators, attempts, audit, logger }));
  app.use(matchRoute(routes));
  app.use(requireRole(audit));
  app.use(runRoute(audit));
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

function errorResponses(logger: Logger): Middleware<OperatorState> {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const refused = toOperatorRefused(error);
      const { code } = refused.refusal;
      const status = statusOf(refused.refusal);
      if (status >= 500) {
        const { requestId } = context.state;
        logger.error({ err: error, requestId, code }, 'operator call failed');
      }
      context.status = status;
      context.set(refused.headers);
      context.body = { error: operatorError(refused) };
    }
  };
}

function runRoute(audit: Audit): Middleware<OperatorState> {
  return async (context) => {
    const { route, pathValues, call } = context.state;
    invariant(route !== undefined && pathValues !== undefined, 'the request has no route');
    invariant(call !== undefined, 'the request has no operator');
    const raw = await readInput(context.req, route, pathValues, true);
    const result = await route.run(raw, {
      accepts: (...types) => acceptedType(context, types),
      audited: (change, work) => audit.change(call, change, work),
    });
    sendReply(context, route.status, result);
  };
}
