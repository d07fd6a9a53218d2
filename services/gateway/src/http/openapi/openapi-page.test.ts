import { publicRoutes } from '../../public-routes.ts';
import { endpointsOf } from '../public-route.ts';
import { openApiPage } from './openapi-page.ts';

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

test('every operation that is routed is documented', () => {
  expect(operationsOf(null)).toHaveLength(publicRoutes.length);
});

test('an operation whose feature is not open prevents the start', () => {
  expect(() => publicRoutes.map((operation) => operation.bind({}))).toThrow('are not open');
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
