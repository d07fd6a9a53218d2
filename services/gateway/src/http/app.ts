import type { RequestListener } from 'node:http';
import { matchRoute } from '@inventory/http/match-route';
import { measureRequests } from '@inventory/http/measure-requests';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import Koa from 'koa';
import type { NetworkPolicy } from '../tenancy/network-policy.domain.ts';
import { assignRequestId } from './assign-request-id.ts';
import { type AuthenticateDeps, authenticate } from './authenticate.ts';
import { checkNetwork, checkPermission } from './authorize.ts';
import { deliverPage } from './delivery/deliver-page.ts';
import { type LimitPeersDeps, limitPeers, withKey } from './limits/limit-peers.ts';
import { limitRate } from './limits/limit-rate.ts';
import type { TrafficLimiter } from './limits/limit-traffic.ts';
import { compressBody, negotiateType } from './negotiate-content.ts';
import type { BoundPublicRoute } from './public-route.ts';
import { refusePlainHttp } from './refuse-plain-http.ts';
import { renderErrors } from './render-errors.ts';
import type { RequestState } from './request-state.ts';
import { type RunRouteDeps, runRoute } from './run-route.ts';
import { type PublicPages, servePages } from './serve-pages.ts';
import { markDeprecated } from './v1/v1-headers.ts';

export interface PublicAppOptions extends AuthenticateDeps, LimitPeersDeps, RunRouteDeps {
  readonly routes: readonly BoundPublicRoute[];
  /** Pages served beside the routes. */
  readonly pages: PublicPages;
  readonly limiter: TrafficLimiter;
  readonly prices: { currentVersion(): number | null };
  readonly trustedProxies: NetworkPolicy;
  readonly v1DeprecatedAtMs: number;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

/** The public API: the middleware in the order in which a request passes it. */
export function createPublicApp(options: PublicAppOptions): RequestListener {
  const app = new Koa<RequestState>();
  // The middleware below handles every error; only a closed connection remains.
  app.on('error', (error: unknown) => options.logger.debug({ err: error }, 'response not sent'));
  app.use(assignRequestId(options.identifiers));
  app.use(markDeprecated(options.v1DeprecatedAtMs));
  app.use(renderErrors(options));
  app.use(measureRequests('public'));
  app.use(refusePlainHttp(options.trustedProxies));
  app.use(deliverPage(options.clock, options.prices));
  app.use(servePages(options.pages));
  app.use(compressBody());
  app.use(matchRoute(options.routes));
  app.use(negotiateType());
  app.use(limitPeers(options));
  app.use(withKey(authenticate(options)));
  app.use(withKey(checkNetwork()));
  app.use(withKey(limitRate(options.limiter)));
  app.use(withKey(checkPermission()));
  app.use(runRoute(options));
  return app.callback();
}
