import { idPrefixes } from '@inventory/contracts/ids';
import { sentFields } from '@inventory/contracts/wire';
import { newScope } from '@inventory/testkit/builders';
import { z } from 'zod';
import { publicRoutes } from '../src/public-routes.ts';
import { setLiveInventory } from './support/fake-live-pages.ts';
import { membersText, saveInventory } from './support/fake-revision-store.ts';
import { gateway, world } from './support/file-gateway.ts';
import { mayAll, rightCall } from './support/operation-calls.ts';
import { sendRaw } from './support/raw-call.ts';

/** A request as its lines. */
interface RawRequest {
  readonly version?: '1.0';
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

const bytesOf = ({ version, method, target, headers, body }: RawRequest) =>
  `${method} ${target} HTTP/${version ?? '1.1'}\r\n` +
  `${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;

const withHeaders = (request: RawRequest, ...more: (readonly [string, string])[]): RawRequest => ({
  ...request,
  headers: [...request.headers, ...more],
});

interface Variant {
  readonly change?: (request: RawRequest) => RawRequest;
  readonly behind?: string;
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
  'sends bytes after it that are not a request': { behind: '\x00\x01\r\n\r\n' },
  'names media types with parameters': { change: withParameters },
  'sends its target in absolute form': {
    change: (request) => withTarget(request, (path) => `http://elsewhere.example:80${path}`),
  },
  'speaks HTTP/1.0, as a default nginx': {
    change: (request) => ({ ...request, version: '1.0' }),
  },
  'encodes what needs no encoding': { change: (request) => withTarget(request, encoded) },
  'writes UUIDs in upper case': {
    change: (request) =>
      withTarget(request, (path) =>
        path.replaceAll(/[\da-f-]{36}(?=\/|$)/g, (uuid) => uuid.toUpperCase()),
      ),
  },
};

describe.each(Object.entries(variants))('a client that %s', (_name, { change, behind }) => {
  test.each(publicRoutes.map(({ operationId }) => operationId))(
    'has its answer from %s (Transport: RFC 9112) [http-messages]',
    async (operationId) => {
      const right = await sendRaw(gateway.url, bytesOf(requestOf(operationId)));

      const request = requestOf(operationId);
      const bytes = bytesOf(change ? change(request) : request) + (behind ?? '');
      const response = await sendRaw(gateway.url, bytes);

      expect([response.status, response.headers['content-type']]).toEqual([
        right.status,
        right.headers['content-type'],
      ]);
    },
  );
});

const uuid = '0190f3a7-7b1c-7def-8abc-0123456789ab';
const ids = ['', ...Object.values(idPrefixes)].map((prefix) => `${prefix}${uuid}`);
const time = '2026-01-15T10:00:00.000Z';
const sameTimes = [
  '2026-01-15T10:00:00+00:00',
  encodeURIComponent('2026-01-15T11:30:00.000+01:30'),
  '2026-01-15t10:00:00z',
];

/** The query parameters that take this value, and not any text. */
const taking = (value: string) =>
  publicRoutes.flatMap(({ operationId, input }) =>
    Object.entries(sentFields(input.query))
      .filter(([, field]) => takes(field, value) && !takes(field, `${value}x`))
      .map(([name]) => ({ operationId, name, value })),
  );
const takes = (field: z.core.$ZodType, value: string) =>
  [value, [value]].some((one) => z.safeParse(field, one).success);

/** The answer to the operation with the parameter, of an account of its own. */
function responseTo(operationId: string, name: string, value: string) {
  const request = requestOf(operationId);
  const [path = '', query = ''] = request.target.split('?');
  const others = query.split('&').filter((one) => one !== '' && !one.startsWith(`${name}=`));
  const target = `${path}?${[...others, `${name}=${value}`].join('&')}`;
  return sendRaw(gateway.url, bytesOf({ ...request, target }));
}

test.each(ids.flatMap(taking))(
  'an id is the same in any case: $name of $operationId (Transport: a UUID in a query) [http-messages]',
  async ({ operationId, name, value }) => {
    const right = await responseTo(operationId, name, value);
    const upper = value.replace(uuid, uuid.toUpperCase());

    const response = await responseTo(operationId, name, upper);

    expect(right.status).not.toBe(422);
    expect(response.status).toBe(right.status);
  },
);

test.each(taking(time))(
  'a time may have any offset: $name of $operationId (Transport: RFC 3339) [http-messages]',
  async ({ operationId, name }) => {
    for (const same of sameTimes) {
      const response = await responseTo(operationId, name, same);

      expect([same, response.status]).toEqual([same, 200]);
      const { webhooks, collector, ledger } = world;
      const requested: Readonly<Record<string, object | undefined>> = {
        listRefreshes: collector.listed.at(-1),
        readStatement: ledger.statementsAsked.at(-1),
      };
      expect(requested[operationId] ?? webhooks.asked.at(-1)?.query).toMatchObject({
        [name]: time,
      });
    }
  },
);

test('a time in a body may have any offset, and is passed on in UTC (Transport: RFC 3339) [http-messages]', async () => {
  for (const at of ['2026-01-15T11:30:00+01:30', '2026-01-15t10:00:00z']) {
    const { key, principal } = world.issue(mayAll);
    const { path } = rightCall('redeliverWebhookEvents', newScope(), principal);

    const response = await gateway.call({
      method: 'POST',
      path,
      key,
      body: { since: at, until: at },
    });

    expect([at, response.status]).toEqual([at, 202]);
    expect(world.webhooks.asked.at(-1)?.body).toEqual({ since: time, until: time });
  }
});
