import type { RequestListener } from 'node:http';
import { matchRoute } from '@inventory/http/match-route';
import { measureRequests } from '@inventory/http/measure-requests';
import Koa from 'koa';
import { assignRequestId } from './assign-request-id.ts';
import { authenticate, beforeRequest, refusePlainHttp, refuseUnknownKeys } from './authenticate.ts';
import { checkEnvironment, checkNetwork, checkPermission } from './authorize.ts';
import { deliverPage } from './delivery/deliver-page.ts';
import { limitPeers, withKey } from './limits/limit-peers.ts';
import { limitRate } from './limits/limit-rate.ts';
import { compressBody, negotiateType } from './negotiate-content.ts';
import type { PublicFrame } from './public-frame.ts';
import type { BoundPublicRoute } from './public-route.ts';
import { renderErrors } from './render-errors.ts';
import type { RequestState } from './request-state.ts';
import { runRoute } from './run-route.ts';
import { type PublicPages, servePages } from './serve-pages.ts';
import { markDeprecated } from './v1/v1-headers.ts';

/** The public API: the middleware in the order in which a request passes it. */
export function createPublicApp(
  frame: PublicFrame,
  routes: readonly BoundPublicRoute[],
  /** Served beside the routes. */
  pages: PublicPages,
): RequestListener {
  const { prices, clock, logger } = frame;
  const app = new Koa<RequestState>();
  // The middleware below handles every error; only a closed connection remains.
  app.on('error', (error: unknown) => logger.debug({ err: error }, 'response not sent'));
  app.use(assignRequestId(frame.identifiers));
  app.use(markDeprecated(frame.v1DeprecatedAtMs));
  app.use(renderErrors(prices, logger));
  app.use(refuseUnknownKeys(frame));
  app.use(measureRequests('public'));
  app.use(refusePlainHttp(frame));
  app.use(deliverPage(clock, prices));
  app.use(servePages(pages));
  app.use(compressBody());
  app.use(matchRoute(routes));
  app.use(negotiateType());
  app.use(limitPeers(frame.openRequests, frame.clientAddressOf));
  app.use(withKey(authenticate(frame)));
  app.use(withKey(checkEnvironment()));
  app.use(withKey(checkNetwork()));
  app.use(withKey(beforeRequest(frame)));
  app.use(withKey(limitRate(frame.limiter)));
  app.use(withKey(checkPermission()));
  app.use(runRoute(frame));
  return app.callback();
}
