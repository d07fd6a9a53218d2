import { malformedAddresses } from './malformed-addresses.ts';
import { malformedBodies } from './malformed-bodies.ts';
import type { MalformedCase } from './malformed-case.ts';
import { malformedHeaders } from './malformed-headers.ts';
import { pathsOf } from './malformed-paths.ts';
import { malformedQueries } from './malformed-queries.ts';

/** Requests that are wrong in one thing, and the code each is answered with. */
export function malformedCases(platformId: string): MalformedCase[] {
  const paths = pathsOf(platformId);
  return [
    ...malformedAddresses(platformId),
    ...malformedQueries(paths.current),
    ...malformedBodies(paths.refresh),
    ...malformedHeaders(paths),
  ];
}
