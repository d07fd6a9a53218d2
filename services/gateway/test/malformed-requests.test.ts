import { errorBody } from '@inventory/contracts/http/error-body';
import { watchLink } from '@inventory/contracts/http/watches';
import { type PublicCode, refusalCodes } from '@inventory/contracts/refusal-codes';
import { sentFields } from '@inventory/contracts/wire';
import { asSent } from '@inventory/testkit/as-sent';
import { newScope } from '@inventory/testkit/builders';
import { publicRoutes } from '../src/public-routes.ts';
import { callApi } from './support/api-call.ts';
import { membersText, saveInventory } from './support/fake-revision-store.ts';
import { gateway, world } from './support/file-gateway.ts';
import { malformedAddresses } from './support/malformed-addresses.ts';
import { malformedBodies } from './support/malformed-bodies.ts';
import { pathsOf } from './support/malformed-case.ts';
import { malformedHeaders } from './support/malformed-headers.ts';
import { malformedQueries } from './support/malformed-queries.ts';
import { mayAll, rightCall } from './support/operation-calls.ts';
import { sendRaw } from './support/raw-call.ts';

let key: string;
let foreignCursor: string;
const saved = newScope();

beforeAll(async () => {
  const pages = [membersText('1'), membersText('2')];
  saveInventory(world.revisions, saved, { pages });
  const stranger = world.issue();
  const path = `/v2/platform/users/${saved.platform_id}/inventory/730/2/current`;
  const first = await gateway.call({ path, key: stranger.key });
  foreignCursor = first.json.data.pagination.next_cursor;
  key = world.issue().key;
});

const paths = pathsOf(saved.platform_id);
const { current, refresh } = paths;
/** Requests that are wrong in one thing, and the code each is answered with. */
const cases = [
  ...malformedAddresses(saved.platform_id),
  ...malformedQueries(current),
  ...malformedBodies(refresh),
  ...malformedHeaders(paths),
];

test('there are at least 200 of them', () => {
  expect(cases.length).toBeGreaterThanOrEqual(200);
});

test.each(cases)('%s', async (_what, call, code) => {
  const response = await callApi(gateway.url, { key, ...call });

  expect([response.status, response.json.error.code]).toEqual([refusalCodes[code].status, code]);
  asSent(errorBody, response.json);
  expect(response.json.meta.credits_charged ?? 0).toBe(0);
});

test("another account's cursor", async () => {
  const response = await gateway.call({ path: `${current}?cursor=${foreignCursor}`, key });

  expect(response.json.error.code).toBe('invalid_cursor');
});

const badCursors = ['', 'no', '\u00e9', 'A'.repeat(40), 'A'.repeat(1_001), 'A'.repeat(8_000)];
const withCursor = publicRoutes.flatMap(({ operationId, input: { query, header } }) => [
  ...['cursor', 'after']
    .filter((name) => name in sentFields(query))
    .map((name) => ({ operationId, name })),
  ...(header?.shape['Last-Event-ID'] ? [{ operationId, name: 'Last-Event-ID' }] : []),
]);

test.each(withCursor)(
  'a $name of $operationId that was never issued is invalid_cursor, however long it is (Errors: invalid_cursor) [cursors]',
  async ({ operationId, name }) => {
    const { key: own, principal } = world.issue(mayAll);
    const right = rightCall(operationId, saved, principal);
    await gateway.call({
      method: 'PUT',
      path: watchLink(principal.projectId, saved),
      key: own,
      body: { every_seconds: 3_600 },
    });

    for (const value of badCursors) {
      if (name === 'Last-Event-ID' && value === '') continue;
      const call =
        name === 'Last-Event-ID'
          ? { ...right, headers: { ...right.headers, [name]: value } }
          : {
              ...right,
              path: `${right.path}${right.path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`,
            };
      const response = await gateway.call({ ...call, key: own });

      expect([value, response.status, response.json.error.code]).toEqual([
        value,
        422,
        'invalid_cursor',
      ]);
    }
  },
);

const host = 'Host: gateway\r\n';
/** What is sent, by what it is answered with. */
const rawCases: Readonly<Partial<Record<PublicCode, Readonly<Record<string, string | Buffer>>>>> = {
  malformed_request: {
    'no HTTP at all': 'hello\r\n\r\n',
    'TLS on the plain port': Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
    'an unknown method': `FOO / HTTP/1.1\r\n${host}\r\n`,
    'a blank in the path': `GET /v2/a b HTTP/1.1\r\n${host}\r\n`,
    'an unknown version': `GET / HTTP/9.9\r\n${host}\r\n`,
    'a header without colon': `GET / HTTP/1.1\r\n${host}broken\r\n\r\n`,
    'a control character in a header': `GET / HTTP/1.1\r\n${host}X: a\u0000b\r\n\r\n`,
    'two lengths': `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    'a length and chunks': `POST / HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'a negative length': `POST / HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
    'a broken chunk': `POST ${refresh} HTTP/1.1\r\n${host}X-API-Key: KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    'no Host': `GET ${current} HTTP/1.1\r\nX-API-Key: KEY\r\n\r\n`,
    'two Hosts': `GET ${current} HTTP/1.1\r\n${host}X-API-Key: KEY\r\nHost: elsewhere\r\n\r\n`,
    'a packed body in chunks': `POST ${refresh} HTTP/1.1\r\n${host}X-API-Key: KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n13\r\n{"max_credits":125}\r\n0\r\n\r\n`,
    'chunks of HTTP/1.0': `POST ${refresh} HTTP/1.0\r\n${host}X-API-Key: KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n{"max_credits":125}\r\n0\r\n\r\n`,
    'bytes above ASCII in the path': Buffer.from(`GET /v2/\xe9 HTTP/1.1\r\n${host}\r\n`, 'latin1'),
  },
  headers_too_large: {
    'a path of 20,000 characters': `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    'a header of 20,000 characters': `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(20_000)}\r\n\r\n`,
    '2,000 headers': `GET / HTTP/1.1\r\n${host}${'X-Many: 12\r\n'.repeat(2_000)}\r\n`,
  },
  route_not_found: {
    'an absolute target of another scheme': `GET ftp://gateway${current} HTTP/1.1\r\n${host}\r\n`,
    'the server as target': `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
    'HTTP/1.0': 'GET /v2/nowhere HTTP/1.0\r\n\r\n',
    'an unknown expectation': `POST /v2/nowhere HTTP/1.1\r\n${host}Expect: miracles\r\nContent-Length: 0\r\n\r\n`,
    'an upgrade': `GET /v2/nowhere HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  },
  method_not_allowed: {
    'a tunnel': `CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n`,
  },
};

const namedRaw = Object.entries(rawCases).flatMap(([code, cases]) =>
  Object.entries(cases).map(([what, bytes]) => [what, bytes, code as PublicCode] as const),
);

test.each(namedRaw)('%s', async (_what, bytes, code) => {
  const sent = Buffer.isBuffer(bytes) ? bytes : bytes.replace('KEY', key);
  const response = await sendRaw(gateway.url, sent);

  expect([response.status, response.json.error.code]).toEqual([refusalCodes[code].status, code]);
  expect(response.json.error.request_id).toBe(response.headers['x-request-id']);
});

test('none of them was charged or became a command, and the gateway is well', async () => {
  expect(world.collector.requests).toEqual([]);
  expect(world.collector.cancels).toEqual([]);
  // The stranger's own page, read before all of this.
  expect(world.ledger.charges).toHaveLength(1);
  expect((await gateway.call({ path: current, key })).status).toBe(200);
});
