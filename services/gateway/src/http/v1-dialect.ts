/** How failures are written: the first version has two dialects of its own. */
export type V1Dialect = 'original' | 'alias';

export interface V1Target {
  readonly dialect: V1Dialect;
  /** The address that replaces it, relative. */
  readonly successor: string;
}

const routes: readonly (readonly [V1Dialect, RegExp])[] = [
  ['original', /^\/api\/v1\/inventory\/([^/]+)\/([^/]+)\/([^/]+)$/],
  ['alias', /^\/v1\/platform\/inventory\/([^/]+)\/([^/]+)\/([^/]+)$/],
];

/** Told by the path alone, so that what is refused before its route is found fits too. */
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

/** What a client sent goes into a header only as plain path characters. */
function asPathPart(segment: string): string {
  return encodeURIComponent(segment).slice(0, 60);
}
