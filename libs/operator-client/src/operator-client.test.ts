import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createOperatorClient,
  type OperatorClient,
  OperatorRefused,
  OperatorUnreachable,
} from './operator-client.ts';

let server: Server;
let client: OperatorClient;
const requests: { readonly line: string; readonly headers: IncomingMessage['headers'] }[] = [];
const bodies: string[] = [];
let reply: { status: number; headers?: Record<string, string>; body: string };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    requests.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    let body = '';
    for await (const part of request) body += String(part);
    bodies.push(body);
    const headers = { 'content-type': 'application/json', ...reply.headers };
    response.writeHead(reply.status, headers).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = createOperatorClient({ url: `http://127.0.0.1:${port}`, token: 'a token' });
});
beforeEach(() => {
  requests.length = 0;
  bodies.length = 0;
  reply = { status: 200, body: '{"kind":"grant"}' };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('every field goes where the document has it; an undefined one is not sent', async () => {
  await client.call('topUp', { account_id: 'a/b', amount: 5, 'idempotency-key': 'k 1' });
  await client.call('listAccounts', { limit: 5, cursor: undefined });

  expect(requests.map(({ line }) => line)).toEqual([
    'POST /operator/v1/accounts/a%2Fb/top-ups',
    'GET /operator/v1/accounts?limit=5',
  ]);
  expect(requests[0]?.headers).toMatchObject({
    authorization: 'Bearer a token',
    'content-type': 'application/json',
    'idempotency-key': 'k 1',
  });
  expect(bodies).toEqual(['{"amount":5}', '']);
});

test('a refusal rejects with its status and code', async () => {
  const error = { code: 'account_not_found', message: 'There is no such account.' };
  reply = { status: 404, body: JSON.stringify({ error }) };

  const refused = client.call('readAccount', { account_id: 'acc_1' });

  await expect(refused).rejects.toBeInstanceOf(OperatorRefused);
  await expect(refused).rejects.toMatchObject({ status: 404, code: 'account_not_found' });
});

test.each([
  [200, '<html>'],
  [502, '<html>'],
  [500, '{"error":"text"}'],
])('a response %i of another server (%s) is neither data nor a code', async (status, body) => {
  reply = { status, body };

  const seen = await client.send('readAdmission', {});

  expect(seen).toMatchObject({ status, text: body, data: undefined, error: undefined });
});

test('a redirect is not followed: the token is sent to the one address only', async () => {
  reply = { status: 302, headers: { location: '/elsewhere' }, body: '' };

  const seen = await client.send('readAdmission', {});

  expect([seen.status, seen.data]).toEqual([302, undefined]);
  expect(requests).toHaveLength(1);
});

test('no response, in time or at all, is unreachable', async () => {
  const nowhere = createOperatorClient({ url: 'http://127.0.0.1:1', token: 'x' });
  const silent = createOperatorClient({
    url: 'http://operator.test',
    token: 'x',
    timeoutMs: 1,
    fetch: ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });

  await expect(nowhere.call('readAdmission', {})).rejects.toBeInstanceOf(OperatorUnreachable);
  await expect(silent.call('readAdmission', {})).rejects.toThrow(/operator.test does not respond/);
});
