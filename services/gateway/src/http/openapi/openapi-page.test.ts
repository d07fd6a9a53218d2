import { publicRoutes } from '../../public-routes.ts';
import { type BoundPublicRoute, endpointsOf } from '../public-route.ts';
import { openApiPage, requireDocumented } from './openapi-page.ts';

const routed = publicRoutes.map((route) => route as BoundPublicRoute);

interface Operation {
  readonly operationId: string;
  readonly servers?: readonly { readonly url: string }[];
}

function operationsOf(eventsOrigin: string | null): Operation[] {
  const document = JSON.parse(
    String(openApiPage(publicRoutes, eventsOrigin)['/openapi.json']?.body),
  );
  return Object.values<Record<string, Operation>>(document.paths).flatMap((path) =>
    Object.values(path),
  );
}

test('what is routed is what is documented', () => {
  requireDocumented(publicRoutes, routed);

  expect(operationsOf(null)).toHaveLength(routed.length);
});

test('an operation that is not documented, or not routed, prevents the start', () => {
  const undocumented = { operationId: 'secretOperation' } as BoundPublicRoute;

  expect(() => requireDocumented(publicRoutes, [...routed, undocumented])).toThrow(
    'secretOperation',
  );
  expect(() => requireDocumented(publicRoutes, routed.slice(1))).toThrow('instead of');
  expect(() => requireDocumented(endpointsOf(publicRoutes, 'api'), routed)).toThrow('instead of');
});

test('the event stream alone is of the role events, all other operations of the role api (Stream origin)', () => {
  const namesOf = (role: 'api' | 'events') =>
    endpointsOf(publicRoutes, role).map(({ operationId }) => operationId);

  expect(namesOf('events')).toEqual(['streamEvents']);
  expect([...namesOf('api'), 'streamEvents'].toSorted()).toEqual(
    publicRoutes.map(({ operationId }) => operationId).toSorted(),
  );
});

test('the document names the origin of events at the event stream alone, and only where there is one (Stream origin)', () => {
  const withServers = (eventsOrigin: string | null) =>
    operationsOf(eventsOrigin).flatMap(({ operationId, servers }) =>
      servers ? [[operationId, servers]] : [],
    );

  expect(withServers(null)).toEqual([]);
  expect(withServers('https://events.example')).toEqual([
    ['streamEvents', [{ url: 'https://events.example' }]],
  ]);
});
