import { publicRoutes } from '../../public-routes.ts';
import type { BoundPublicRoute } from '../public-route.ts';
import { openApiPage } from './openapi-page.ts';

const routed = publicRoutes.map(({ operationId }) => ({ operationId }) as BoundPublicRoute);

test('what is routed is what is documented', () => {
  const document = JSON.parse(String(openApiPage(publicRoutes, routed)['/openapi.json']?.body));

  const operations = Object.values<object>(document.paths).flatMap((path) => Object.values(path));
  expect(operations).toHaveLength(routed.length);
});

test('an operation that is not documented, or not routed, prevents the start', () => {
  const undocumented = { operationId: 'secretOperation' } as BoundPublicRoute;

  expect(() => openApiPage(publicRoutes, [...routed, undocumented])).toThrow('secretOperation');
  expect(() => openApiPage(publicRoutes, routed.slice(1))).toThrow('instead of');
});
