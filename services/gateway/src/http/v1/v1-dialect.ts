/** The form of failures: V1 has two. */
export type V1Dialect = 'original' | 'alias';

export interface V1Target {
  readonly dialect: V1Dialect;
  /** Relative address of the V2 route that replaces it. */
  readonly successor: string;
}

const routes: readonly (readonly [V1Dialect, RegExp])[] = [
  ['original', /^\/api\/v1\/inventory\/([^/]+)\/([^/]+)\/([^/]+)\/?$/],
  ['alias', /^\/v1\/platform\/inventory\/([^/]+)\/([^/]+)\/([^/]+)\/?$/],
];

/** The dialect of a path: it applies before a route is found. */
export function v1TargetOf(path: string): V1Target | null {
  for (const [dialect, pattern] of routes) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const [platformId, appId, contextId] = match.slice(1).map(asPathPart);
    return {
      dialect,
      successor: `/v2/platform/users/${platformId}/inventory/${appId}/${contextId}`,
    };
  }
  return null;
}

/** Text of the client is written into a header only as plain path characters. */
function asPathPart(segment: string): string {
  return encodeURIComponent(segment).slice(0, 60);
}
