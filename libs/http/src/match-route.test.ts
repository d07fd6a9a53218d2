import Koa from 'koa';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { type MatchState, matchRoute } from './match-route.ts';
import { Refused } from './refused.ts';
import type { Endpoint, Method } from './route.ts';

const endpoint = (method: Method, template: string): Endpoint => ({ method, template, input: {} });
const routes = [
  endpoint('POST', '/things/batch'),
  endpoint('GET', '/things/{thing_id}'),
  endpoint('DELETE', '/things/{thing_id}'),
  endpoint('GET', '/things/{thing_id}/parts/{part}'),
  { ...endpoint('GET', '/old/{thing_id}'), mayEndInSlash: true },
];
let server: HttpServer;

beforeAll(async () => {
  const app = new Koa<MatchState<Endpoint>>();
  app.use(async (context, next) => {
    try {
      await next();
      const { route, pathValues } = context.state;
      context.body = `${route?.method} ${route?.template} ${JSON.stringify(pathValues)}`;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      context.set(error.headers);
      context.body = error.refusal.code;
    }
  });
  app.use(matchRoute(routes));
  const handle = app.callback();
  const listener = (...call: Parameters<typeof handle>) => void handle(...call);
  server = await startHttpServer({ listener, host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close(0));

async function ask(method: string, path: string) {
  const response = await fetch(server.url + path, { method });
  return [await response.text(), response.headers.get('allow')];
}

test.each([
  ['GET', '/things/7?a=b/c', 'GET /things/{thing_id} {"thing_id":"7"}'],
  ['DELETE', '/things/7', 'DELETE /things/{thing_id} {"thing_id":"7"}'],
  ['GET', '/%74hings/%37', 'GET /things/{thing_id} {"thing_id":"7"}'],
  ['GET', '/things/a%2fb', 'GET /things/{thing_id} {"thing_id":"a/b"}'],
  ['GET', '/things/%zz', 'GET /things/{thing_id} {"thing_id":"%zz"}'],
  ['GET', '/things/7/parts/x', 'GET /things/{thing_id}/parts/{part} {"thing_id":"7","part":"x"}'],
  ['POST', '/things/batch', 'POST /things/batch {}'],
  ['GET', '/old/7', 'GET /old/{thing_id} {"thing_id":"7"}'],
  ['GET', '/old/7/?a=b/', 'GET /old/{thing_id} {"thing_id":"7"}'],
])('%s %s is matched with its decoded path values', async (method, path, matched) => {
  expect(await ask(method, path)).toEqual([matched, null]);
});

test.each([
  ['01926F3A-7B1C-7DEF-8ABC-0123456789AB', '01926f3a-7b1c-7def-8abc-0123456789ab'],
  ['prj_01926f3A-7b1c-7dEf-8abC-0123456789Ab', 'prj_01926f3a-7b1c-7def-8abc-0123456789ab'],
  ['%30%31926F3A-7B1C-7DEF-8ABC-0123456789AB', '01926f3a-7b1c-7def-8abc-0123456789ab'],
  ['PRJ_01926f3a-7b1c-7def-8abc-0123456789ab', 'PRJ_01926f3a-7b1c-7def-8abc-0123456789ab'],
  ['01926F3A7B1C7DEF8ABC0123456789AB', '01926F3A7B1C7DEF8ABC0123456789AB'],
  ['01926F3A-7B1C-7DEF-8ABC-0123456789ABCD', '01926F3A-7B1C-7DEF-8ABC-0123456789ABCD'],
])('the UUID in %s is the same in any case (Transport: a UUID in a path)', async (sent, value) => {
  expect(await ask('GET', `/things/${sent}`)).toEqual([
    `GET /things/{thing_id} {"thing_id":"${value}"}`,
    null,
  ]);
});

const unknown = ['/', '/things', '/things/', '/things/7/', '/Things/7', '/things/7/parts'];
test.each([...unknown, '//things/7', '/old/', '/old/7//'])(
  '%s matches no route: empty segments and case count, and a slash at the end of other routes',
  async (path) => {
    expect(await ask('GET', path)).toEqual(['route_not_found', null]);
  },
);

test.each(['POST', 'PUT', 'OPTIONS', 'PROPFIND'])(
  '%s is refused with the methods that the template offers',
  async (method) => {
    expect(await ask(method, '/things/7')).toEqual(['method_not_allowed', 'GET, DELETE']);
  },
);

test('HEAD is refused where GET is offered (Transport: HEAD is 405)', async () => {
  const response = await fetch(`${server.url}/things/7`, { method: 'HEAD' });

  expect(response.headers.get('allow')).toBe('GET, DELETE');
});

test('an exact template decides over one with parameters, for every method', async () => {
  expect(await ask('GET', '/things/batch')).toEqual(['method_not_allowed', 'POST']);
});

test('two routes with one method and template are a fault of the program', () => {
  expect(() => matchRoute([endpoint('GET', '/a'), endpoint('GET', '/a')])).toThrow('/a');
});
