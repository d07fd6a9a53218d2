import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { canonicalDecimal } from '@inventory/contracts/http/parameters';
import { time, wire } from '@inventory/contracts/wire';
import { monotonicNow } from '@inventory/runtime/clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { z } from 'zod';
import { type Lane, longCalls, shortCalls } from './call-lanes.ts';
import {
  CallRefused,
  createInternalClient,
  type InternalCall,
  type InternalClient,
  nullIfRefused,
  ServiceUnreachable,
} from './internal-client.ts';
import { Refused, statusOf } from './refused.ts';

const closing: (() => unknown)[] = [];

function clientOf(port: number, serviceToken?: string): InternalClient {
  const client = createInternalClient({
    baseUrl: `http://127.0.0.1:${port}`,
    service: 'ledger',
    serviceToken,
    timeoutMs: 600_000,
  });
  closing.push(() => client.close());
  return client;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

type Respond = (request: IncomingMessage, response: ServerResponse) => unknown;

async function serve(respond: Respond): Promise<InternalClient> {
  const server = createServer((request, response) => void respond(request, response));
  closing.push(() => server.closeAllConnections());
  return clientOf(await listen(server), 'the-token-of-all-services');
}

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test('a call carries query, token and JSON body, and returns the parsed response', async () => {
  const client = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    response.end(
      JSON.stringify({
        method,
        url,
        body,
        token: headers['x-service-token'],
        type: headers['content-type'],
        extra: headers['x-extra'],
      }),
    );
  });

  const received = await client.json(z.record(z.string(), z.string()), {
    method: 'POST',
    path: '/a b',
    query: { limit: 5, state: ['x&y', 'z'], absent: undefined },
    headers: { 'x-extra': '1' },
    body: { amount: 1 },
  });

  expect(received).toEqual({
    method: 'POST',
    url: '/a%20b?limit=5&state=x%26y&state=z',
    body: '{"amount":1}',
    token: 'the-token-of-all-services',
    type: 'application/json',
    extra: '1',
  });
});

test('a call sends path, query and body by their names and texts on the wire, and returns the response by those in the code', async () => {
  const client = await serve(async (request, response) => {
    let sent = '';
    for await (const chunk of request) sent += chunk;
    response.end(JSON.stringify({ sent_to: `${request.method} ${request.url} ${sent}` }));
  });
  const operation = {
    method: 'POST',
    template: '/things/{thing_id}',
    callers: ['gateway'],
    input: {
      path: wire({ thingId: canonicalDecimal(1, 10) }),
      query: wire({ sinceMs: time, maxItems: canonicalDecimal(1, 10).optional() }),
      body: wire({ firstName: z.string() }),
    },
    response: wire({ sentTo: z.string() }),
  } as const;

  const received = await client.call(operation, {
    path: { thingId: 7 },
    query: { sinceMs: 0, maxItems: undefined },
    body: { firstName: 'x' },
  });

  expect(received.sentTo).toBe(
    'POST /things/7?since=1970-01-01T00%3A00%3A00.000Z {"first_name":"x"}',
  );
});

test('bytes are sent as they are and come back with status and headers', async () => {
  const client = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(201, { 'x-digest': 'd' }).end(Buffer.concat(chunks));
  });
  const body = Buffer.from([0, 1, 254, 255]);

  const received = await client.bytes({ method: 'PUT', path: '/', body });

  expect(received).toMatchObject({ status: 201, body, headers: { 'x-digest': 'd' } });
});

test.each([
  [409, '{"error":{"code":"chunk_conflict","message":"There is one."}}', 'chunk_conflict'],
  [409, '{"error":{"code":"added_later"}}', null],
  [422, '{"error":{"code":"invalid_request"}}', null],
  [404, '', null],
  [422, '<html>', null],
  [400, '{"error":{"code":7}}', null],
])(
  'a refusal that the call does not expect is a fault, known by its code (%d %s)',
  async (status, body, code) => {
    const client = await serve((_request, response) => response.writeHead(status).end(body));
    const call = client.json(z.unknown(), { method: 'GET', path: '/' });

    await expect(call).rejects.toThrow(CallRefused);
    await expect(call).rejects.toMatchObject({ code });
  },
);

test.each([
  { code: 'refresh_not_found' },
  { code: 'upstream_unavailable', detail: { reason: 'throttled' }, retry_after_seconds: 9 },
] as const)(
  'a refusal that the call names comes whole, whatever its status, and is not repeated ($code)',
  async (refusal) => {
    let calls = 0;
    const client = await serve((_request, response) => {
      calls += 1;
      response
        .writeHead(statusOf(refusal))
        .end(JSON.stringify({ error: { ...refusal, message: '' } }));
    });
    const of = { method: 'GET', path: '/', refusals: [refusal.code] } as const;

    await expect(client.json(z.unknown(), of)).rejects.toMatchObject({ refusal });
    await expect(client.bytes(of)).rejects.toThrow(Refused);
    expect(await nullIfRefused(client.bytes(of))).toBeNull();
    expect(calls).toBe(3);
  },
);

test.each([500, 503])(
  'a fault of the other side (%d) is not a response, and is not repeated',
  async (status) => {
    let calls = 0;
    const client = await serve((_request, response) => {
      calls += 1;
      response.writeHead(status).end('{"error":{"code":"x"}}');
    });

    await expect(client.bytes({ method: 'GET', path: '/' })).rejects.toThrow(ServiceUnreachable);
    expect(calls).toBe(1);
  },
);

test.each([
  ['no JSON', 'half a {'],
  ['another shape', '{"count":"many"}'],
  ['nothing', ''],
])('a response of %s is a fault of the other side, not of the caller', async (_what, body) => {
  const client = await serve((_request, response) => response.end(body));

  const call = client.json(z.object({ count: z.int() }), { method: 'GET', path: '/' });

  await expect(call).rejects.toThrow(ServiceUnreachable);
  await expect(call).rejects.toMatchObject({ cause: expect.any(Error) });
});

test('no response in time is an end, not a second try', async () => {
  let calls = 0;
  const client = await serve(() => {
    calls += 1;
  });

  const call = client.bytes({ method: 'GET', path: '/', timeoutMs: 1_000 });

  await expect(call).rejects.toThrow(ServiceUnreachable);
  // None at all where the time was over before the request had left.
  expect(calls).toBeLessThanOrEqual(1);
});

describe('calls that wait for a connection', () => {
  /** Responds to no call to `/held`, all others at once; says how many are held. */
  async function serveHeld() {
    const held = new Set<ServerResponse>();
    const client = await serve((request, response) => {
      if (request.url !== '/held') {
        response.end('{}');
        return;
      }
      held.add(response);
      response.once('close', () => held.delete(response));
    });
    const test = new AbortController();
    closing.unshift(() => test.abort());
    const hold = (more: Partial<InternalCall> = {}) =>
      client
        .bytes({ method: 'GET', path: '/held', signal: test.signal, ...more })
        .catch((error: unknown) => error);
    const fill = async (lane: Lane) => {
      for (let call = 0; call < lane.connections; call += 1) void hold({ lane });
      await waitFor('every connection has its call', () => held.size === lane.connections);
    };
    return { client, held, hold, fill };
  }

  test('end at their deadline, as those that have one', async () => {
    const { client, held, fill } = await serveHeld();
    await fill(shortCalls);

    const call = client.bytes({ method: 'GET', path: '/', timeoutMs: 20 });

    await expect(call).rejects.toThrow(ServiceUnreachable);
    expect(held.size).toBe(shortCalls.connections);
  });

  test('are not sent once their caller has left, and the next one is', async () => {
    const { client, held, hold, fill } = await serveHeld();
    await fill(shortCalls);
    const caller = new AbortController();
    const abandoned = hold({ signal: caller.signal });
    const next = client.bytes({ method: 'GET', path: '/next' });

    caller.abort();
    expect(await abandoned).toBeInstanceOf(ServiceUnreachable);
    for (const response of held) response.end('{}');

    expect((await next).status).toBe(200);
    expect(held.size).toBe(0);
  });

  test('are refused at once where as many wait as may', async () => {
    const { client, hold } = await serveHeld();
    const lane = { connections: 1, waitingMax: 1 };
    void hold({ lane });
    void hold({ lane });

    await expect(client.bytes({ method: 'GET', path: '/', lane })).rejects.toThrow(
      ServiceUnreachable,
    );
  });

  test.each([
    ['long calls do not delay short ones', longCalls, shortCalls],
    ['short calls do not delay long ones', shortCalls, longCalls],
  ])('%s', async (_what, full, lane) => {
    const { client, fill, hold } = await serveHeld();
    await fill(full);
    void hold({ lane: full });

    expect((await client.bytes({ method: 'GET', path: '/', lane })).status).toBe(200);
  });

  test('are sent with the time that is left then', async () => {
    const { client, held, hold } = await serveHeld();
    const lane = { connections: 1, waitingMax: 1 };
    const times: number[] = [];
    const headers = (timeLeftMs: number) => {
      times.push(timeLeftMs);
      return {};
    };
    void hold({ lane });
    await waitFor('the connection has its call', () => held.size === 1);
    const timeoutMs = 600_000;
    const waiting = client.bytes({ method: 'GET', path: '/', lane, headers, timeoutMs });
    const queuedMs = monotonicNow();
    await waitFor('time has passed', () => monotonicNow() > queuedMs + 1);
    const waitedMs = monotonicNow() - queuedMs;
    for (const response of held) response.end('{}');
    await waiting;

    expect(times).toHaveLength(1);
    expect(times[0]).toBeLessThanOrEqual(timeoutMs - waitedMs);
  });
});

test('a body that does not end in time is not a response either', async () => {
  const client = await serve((_request, response) => void response.write('{"count"'));

  const call = client.json(z.unknown(), { method: 'GET', path: '/', timeoutMs: 1_000 });

  await expect(call).rejects.toThrow(ServiceUnreachable);
});

test('a port without a listener is reported at once', async () => {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');

  const call = clientOf(port).bytes({ method: 'PUT', path: '/' });

  await expect(call).rejects.toThrow(ServiceUnreachable);
  await expect(call).rejects.toThrow('ledger did not respond');
});

describe('on a connection that the other side closed while it idled', () => {
  /** Responds to the first request of each connection and cuts the second, as a dying peer does. */
  async function serveOncePerConnection() {
    const requests: string[] = [];
    const server = createTcpServer((socket) => {
      let seen = 0;
      socket.on('error', () => {});
      socket.on('data', (data) => {
        requests.push(String(data).split(' ', 1)[0] ?? '');
        seen += 1;
        if (seen > 1) socket.destroy();
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      });
      closing.push(() => socket.destroy());
    });
    return { requests, client: clientOf(await listen(server)) };
  }

  test('a read is tried once more', async () => {
    const { requests, client } = await serveOncePerConnection();

    for (let call = 0; call < 6; call += 1) {
      expect((await client.bytes({ method: 'GET', path: '/' })).status).toBe(200);
    }

    expect(requests.length).toBeGreaterThan(6);
  });

  test.each(['PUT', 'POST', 'DELETE'] as const)(
    'a %s is not: it may have had its effect already',
    async (method) => {
      const { requests, client } = await serveOncePerConnection();
      let failures = 0;

      for (let call = 0; call < 6; call += 1) {
        await client.bytes({ method, path: '/' }).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ServiceUnreachable);
          failures += 1;
        });
      }

      expect(failures).toBeGreaterThan(0);
      expect(requests).toHaveLength(6);
    },
  );

  test('a read that is cut twice is given up', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.destroy());
    });
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    const client = clientOf(await listen(server));

    await expect(client.bytes({ method: 'GET', path: '/' })).rejects.toThrow(ServiceUnreachable);

    expect(connections).toBe(2);
  });
});
