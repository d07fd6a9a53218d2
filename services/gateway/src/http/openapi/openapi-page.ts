import { invariant } from '@inventory/runtime/bug';
import { publicEndpoints } from '../../public-endpoints.ts';
import type { Route } from '../route.ts';
import type { PublicPages } from '../serve-pages.ts';
import { publicDocument } from './describe-public-api.ts';

/** GET /openapi.json: what is documented is exactly what is routed, or nothing starts. */
export function openApiPage(routes: readonly Route[]): PublicPages {
  const documented = publicEndpoints.map(({ operationId }) => operationId).toSorted();
  const routed = routes.map(({ operationId }) => operationId).toSorted();
  invariant(
    documented.join() === routed.join(),
    `operations are not what is documented: ${routed.join()} instead of ${documented.join()}`,
  );
  const text = JSON.stringify(publicDocument(publicEndpoints));
  return { '/openapi.json': { type: 'json', body: Buffer.from(text) } };
}
