import { publicEndpoints } from '../../public-endpoints.ts';
import type { Route } from '../route.ts';
import { openApiPage } from './openapi-page.ts';

const routed = publicEndpoints.map(({ operationId }) => ({ operationId }) as Route);

test('what is routed is what is documented', () => {
  const document = JSON.parse(String(openApiPage(routed)['/openapi.json']?.body));

  const operations = Object.values<object>(document.paths).flatMap((path) => Object.values(path));
  expect(operations).toHaveLength(routed.length);
});

test('an operation that nobody documented, or that nobody routes, keeps the service from starting', () => {
  const undocumented = { operationId: 'secretOperation' } as Route;

  expect(() => openApiPage([...routed, undocumented])).toThrow('secretOperation');
  expect(() => openApiPage(routed.slice(1))).toThrow('instead of');
});
