import { invariant } from '@inventory/runtime/bug';
import type { BoundPublicRoute, PublicEndpoint } from '../public-route.ts';
import type { PublicPages } from '../serve-pages.ts';
import { publicDocument } from './describe-public-api.ts';

/** GET /openapi.json. Throws where the routes differ from the documented ones. */
export function openApiPage(
  endpoints: readonly PublicEndpoint[],
  routes: readonly BoundPublicRoute[],
): PublicPages {
  const documented = endpoints.map(({ operationId }) => operationId).toSorted();
  const routed = routes.map(({ operationId }) => operationId).toSorted();
  invariant(
    documented.join() === routed.join(),
    `operations are not what is documented: ${routed.join()} instead of ${documented.join()}`,
  );
  const text = JSON.stringify(publicDocument(endpoints));
  return { '/openapi.json': { type: 'json', body: Buffer.from(text) } };
}
