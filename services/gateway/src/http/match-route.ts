import { Refused } from '@inventory/http/refused';
import type { PublicMiddleware } from './request-state.ts';
import { decodeSegment, targetOf } from './request-target.ts';
import type { Route } from './route.ts';

interface Pattern {
  readonly route: Route;
  readonly segments: readonly string[];
}

/**
 * Finds the route of a request: exact segments, `{name}` for any one that is not empty. Where both
 * match, the exact path is meant.
 */
export function matchRoute(routes: readonly Route[]): PublicMiddleware {
  const patterns = routes.map((route): Pattern => ({ route, segments: route.template.split('/') }));
  return async (context, next) => {
    const segments = targetOf(context.req.url).path.split('/');
    const matching = mostExact(patterns.filter(({ segments: own }) => matches(own, segments)));
    if (matching.length === 0) throw new Refused({ code: 'route_not_found' });
    const found = matching.find(({ route }) => route.method === context.method);
    if (found === undefined) {
      const allow = matching.map(({ route }) => route.method).join(', ');
      throw new Refused({ code: 'method_not_allowed' }, { headers: { Allow: allow } });
    }
    context.state.route = found.route;
    context.state.pathValues = valuesOf(found.segments, segments);
    await next();
  };
}

function mostExact(patterns: readonly Pattern[]): readonly Pattern[] {
  const wildness = ({ segments }: Pattern) => segments.filter(isParameter).length;
  const least = Math.min(...patterns.map(wildness));
  return patterns.filter((pattern) => wildness(pattern) === least);
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) =>
      isParameter(part) ? segments[index] !== '' : part === segments[index],
    )
  );
}

function valuesOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pattern.flatMap((part, index) =>
      isParameter(part) ? [[part.slice(1, -1), decodeSegment(segments[index] ?? '')]] : [],
    ),
  );
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}
