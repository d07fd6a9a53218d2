import { invariant } from '@inventory/runtime/bug';
import type { BoundPublicRoute, PublicEndpoint } from '../public-route.ts';
import { documentPath, type PublicPages } from '../serve-pages.ts';
import { publicDocument } from './describe-public-api.ts';
import { withOpenEnums } from './open-enums.ts';

/** GET /openapi.json: every operation, whatever process serves it. */
export function openApiPage(
  endpoints: readonly PublicEndpoint[],
  eventsOrigin: string | null,
): PublicPages {
  const text = JSON.stringify(withOpenEnums(publicDocument(endpoints, eventsOrigin)));
  return { [documentPath]: { type: 'json', body: Buffer.from(text) } };
}

/** Throws where the routes of a process differ from those documented for it. */
export function requireDocumented(
  endpoints: readonly PublicEndpoint[],
  routes: readonly BoundPublicRoute[],
): void {
  const documented = endpoints.map(({ operationId }) => operationId).toSorted();
  const routed = routes.map(({ operationId }) => operationId).toSorted();
  invariant(
    documented.join() === routed.join(),
    `operations are not what is documented: ${routed.join()} instead of ${documented.join()}`,
  );
}
