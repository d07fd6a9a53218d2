import { invariant } from '@inventory/runtime/bug';
import { publicRoutes } from '../../public-routes.ts';
import type { BoundPublicRoute } from '../public-route.ts';
import type { PublicPages } from '../serve-pages.ts';
import { publicDocument } from './describe-public-api.ts';

/** GET /openapi.json. Throws where the routes differ from the documented ones. */
export function openApiPage(routes: readonly BoundPublicRoute[]): PublicPages {
  const documented = publicRoutes.map(({ operationId }) => operationId).toSorted();
  const routed = routes.map(({ operationId }) => operationId).toSorted();
  invariant(
    documented.join() === routed.join(),
    `operations are not what is documented: ${routed.join()} instead of ${documented.join()}`,
  );
  const text = JSON.stringify(publicDocument(publicRoutes));
  return { '/openapi.json': { type: 'json', body: Buffer.from(text) } };
}
