import { invariant } from '@inventory/runtime/bug';
import Router, { type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { mapValues } from './json-schema.ts';
import { withLowerUuid } from './lower-uuid.ts';
import { Refused } from './refused.ts';
import { targetOf } from './request-target.ts';
import type { Endpoint } from './route.ts';

/** State of a request whose route was matched. */
export interface MatchState<Found extends Endpoint> {
  route?: Found;
  /** Path parameters, percent-decoded, and UUIDs in lower case. */
  pathValues?: Readonly<Record<string, string>>;
}

/**
 * Matches a request to its route: exact segments, `{name}` for any non-empty one; case is significant,
 * and a trailing slash where the route does not allow one. The template with the fewest parameters
 * decides; a method that it does not offer, HEAD and OPTIONS included, is refused with `Allow`.
 * Throws `route_not_found` and `method_not_allowed`.
 */
export function matchRoute<Found extends Endpoint>(
  routes: readonly Found[],
): Middleware<MatchState<Found>> {
  const router = new Router<MatchState<Found>>({
    exclusive: 'specificity',
    sensitive: true,
    strict: true,
  });
  for (const [template, own] of Map.groupBy(routes, (route) => route.template)) {
    const end = own.some(({ mayEndInSlash }) => mayEndInSlash) ? '{/}' : '';
    router.all(template.replaceAll(/\{(\w+)\}/g, ':$1') + end, selectMethod(own));
  }
  router.on('not-found', () => {
    throw new Refused({ code: 'route_not_found' });
  });
  const dispatch = router.routes();
  return async (context, next) => {
    context['newRouterPath'] = targetOf(context.req.url).path;
    await dispatch(context as RouterContext<MatchState<Found>>, next);
  };
}

/** A template matches every method, so that the router decides by path alone. */
function selectMethod<Found extends Endpoint>(routes: readonly Found[]) {
  const byMethod = new Map<string, Found>(routes.map((route) => [route.method, route]));
  const allow = [...byMethod.keys()].join(', ');
  invariant(byMethod.size === routes.length, `two routes at ${allow} ${routes[0]?.template}`);
  return async (context: RouterContext<MatchState<Found>>, next: () => Promise<unknown>) => {
    const route = byMethod.get(context.method);
    if (route === undefined) {
      throw new Refused({ code: 'method_not_allowed' }, { headers: { Allow: allow } });
    }
    context.state.route = route;
    context.state.pathValues = mapValues(context.params, withLowerUuid);
    await next();
  };
}
