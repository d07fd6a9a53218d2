import { newScope } from '@inventory/testkit/builders';
import { publicRoutes } from '../src/public-routes.ts';
import { setLiveInventory } from './support/fake-live-pages.ts';
import { membersText, saveInventory } from './support/fake-revision-store.ts';
import { gateway, world } from './support/file-gateway.ts';
import { mayAll, rightCall } from './support/operation-calls.ts';
import { sendRaw } from './support/raw-call.ts';

/** A request as its lines. */
interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** A request of the operation that is right in itself, of an account of its own. */
function requestOf(operationId: string): RawRequest {
  const { key, principal } = world.issue(mayAll);
  const scope = newScope();
  const pages = [membersText('1'), membersText('2')];
  saveInventory(world.revisions, scope, { pages });
  setLiveInventory(world.collector.live, scope, { pages });
  const { method = 'GET', path, headers = {}, body } = rightCall(operationId, scope, principal);
  const text = body === undefined ? '' : JSON.stringify(body);
  const ofBody: [string, string][] =
    text === ''
      ? []
      : [
          ['Content-Type', 'application/json'],
          ['Content-Length', String(text.length)],
        ];
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return {
    method,
    target: path,
    headers: [['Host', 'gateway'], ['X-API-Key', key], ...given, ...ofBody],
    body: text,
  };
}

const bytesOf = ({ method, target, headers, body }: RawRequest) =>
  `${method} ${target} HTTP/1.1\r\n` +
  `${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;

const withHeaders = (request: RawRequest, ...more: (readonly [string, string])[]): RawRequest => ({
  ...request,
  headers: [...request.headers, ...more],
});

interface Variant {
  readonly change?: (request: RawRequest) => RawRequest;
  readonly behind?: string;
  readonly endsSide?: boolean;
}

/** Every letter, digit and `-._~` of a path as its code. */
const encoded = (path: string) =>
  path.replaceAll(/[\w.~-]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);

const withTarget = (request: RawRequest, rewrite: (path: string) => string): RawRequest => {
  const [path = '', ...query] = request.target.split('?');
  return { ...request, target: [rewrite(path), ...query].join('?') };
};

/** `Accept`, `*` where it is absent, and `Content-Type` with parameters. */
function withParameters(request: RawRequest): RawRequest {
  const { accept = '*/*', ...others } = Object.fromEntries(
    request.headers.map(([name, value]) => [name.toLowerCase(), value]),
  );
  const { 'content-type': type, ...rest } = others;
  return {
    ...request,
    headers: [
      ...Object.entries(rest),
      ['Accept', `text/html;level=1, ${accept};charset=UTF-8;v="1,2";q=0.5`],
      ...(type === undefined ? [] : [['Content-Type', `${type};charset=utf8;v=1`] as const]),
    ],
  };
}

/** What a client may do with any request, and has the same answer. */
const variants: Readonly<Record<string, Variant>> = {
  'ends its side behind it': { endsSide: true },
  'asks for HTTP/2 in the clear': {
    change: (request) =>
      withHeaders(
        request,
        ['Connection', 'Upgrade, HTTP2-Settings'],
        ['Upgrade', 'h2c'],
        ['HTTP2-Settings', 'AAMAAABkAAQCAAAAAAIAAAAA'],
      ),
    behind: 'GET /v2/nowhere HTTP/1.1\r\nHost: gateway\r\n\r\n',
  },
  'sends bytes behind it that are no request': { behind: '\x00\x01\r\n\r\n' },
  'names media types with parameters': { change: withParameters },
  'sends its target in absolute form': {
    change: (request) => withTarget(request, (path) => `http://elsewhere.example:80${path}`),
  },
  'encodes what needs no encoding': { change: (request) => withTarget(request, encoded) },
  'writes UUIDs in upper case': {
    change: (request) =>
      withTarget(request, (path) =>
        path.replaceAll(/[\da-f-]{36}(?=\/|$)/g, (uuid) => uuid.toUpperCase()),
      ),
  },
};

describe.each(Object.entries(variants))('a client that %s', (_name, { change, ...rest }) => {
  test.each(publicRoutes.map(({ operationId }) => operationId))(
    'has its answer from %s (Transport: RFC 9112) [http-messages]',
    async (operationId) => {
      const right = await sendRaw(gateway.url, bytesOf(requestOf(operationId)));

      const request = requestOf(operationId);
      const bytes = bytesOf(change ? change(request) : request) + (rest.behind ?? '');
      const answer = await sendRaw(gateway.url, bytes, rest);

      expect([answer.status, answer.headers['content-type']]).toEqual([
        right.status,
        right.headers['content-type'],
      ]);
    },
  );
});
