import { once } from 'node:events';
import {
  Agent,
  get,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitFor } from '@inventory/testkit/wait-for';
import { type HttpServer, startHttpServer, takeOverConnection } from './http-server.ts';

const host = '127.0.0.1';
let server: HttpServer;
const agent = new Agent({ keepAlive: true });
/** Longer than a test may take: a close that ends in it was not ended by it. */
const drainMs = 3_600_000;

async function start(listener: RequestListener, port = 0): Promise<HttpServer> {
  server = await startHttpServer({ listener, host, port });
  // Otherwise Node closes idle connections some time later, and a close that waits ends too.
  Object.assign(server.server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  return server;
}

function fetchText(url: string): Promise<{ text: string; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ text, connection: response.headers.connection }));
      response.on('error', reject);
    }).on('error', reject);
  });
}

afterEach(() => server.close(0));
afterAll(() => agent.destroy());

test('without a port any free one is used, and is in the address', async () => {
  await start((_request, response) => response.end('here'));

  expect(server.url).toBe(`http://${host}:${server.port}`);
  expect((await fetchText(server.url)).text).toBe('here');
});

test('more parts than ten may wait for the end of a response without a warning of Node for each response', async () => {
  let listenersMax = 0;
  await start((_request, response) => {
    listenersMax = response.getMaxListeners();
    response.end();
  });

  await fetchText(server.url);

  expect(listenersMax).toBeGreaterThan(12);
});

test('a port in use is an error that names it', async () => {
  await start(() => {});

  await expect(startHttpServer({ listener: () => {}, host, port: server.port })).rejects.toThrow(
    `Port ${server.port} on ${host} is in use by another process`,
  );
});

test('an address of another machine is an error of the system', async () => {
  await start(() => {});

  await expect(
    startHttpServer({ listener: () => {}, host: '203.0.113.1', port: 0 }),
  ).rejects.toThrow(/EADDRNOTAVAIL/);
});

test('closing drains the request in flight, accepts no other, and then ends at once', async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await start(async (_request, response) => {
    begun.resolve();
    await gate.promise;
    response.end('finished');
  });
  const response = fetchText(server.url);
  await begun.promise;

  const closed = server.close(drainMs);
  await expect(
    new Promise((_resolve, reject) => {
      get(server.url, { agent: false }).on('error', reject);
    }),
  ).rejects.toThrow(/ECONNREFUSED/);
  gate.resolve();

  expect((await response).text).toBe('finished');
  // The client keeps the connection alive: it must not delay the stop for its idle time.
  await closed;
});

test('a response during the close has connection: close', async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await start(async (_request, response) => {
    begun.resolve();
    await gate.promise;
    response.end('finished');
  });
  const response = fetchText(server.url);
  await begun.promise;

  const closed = server.close(drainMs);
  gate.resolve();

  expect((await response).connection).toBe('close');
  await closed;
});

test('requests that are not done when the drain ends are aborted', async () => {
  const begun = Promise.withResolvers<void>();
  await start(() => begun.resolve());
  const response = fetchText(server.url);
  const cut = expect(response).rejects.toThrow(/socket hang up|ECONNRESET/);
  await begun.promise;

  const begunAt = performance.now();
  await server.close(100);

  await cut;
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(95);
});

test('idle connections do not delay the close', async () => {
  await start((_request, response) => response.end('here'));
  await fetchText(server.url);
  const silent = connect(server.port, host);
  await once(silent, 'connect');

  await server.close(drainMs);

  silent.destroy();
});

describe('Pipelined requests', () => {
  const pipelined = (count: number) =>
    Array.from(
      { length: count },
      (_, index) => `GET /${index} HTTP/1.1\r\nHost: here\r\n\r\n`,
    ).join('');

  test('are handled one after the other, each once the response before it is sent', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const handled: string[] = [];
    const owned: boolean[] = [];
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await start(async (request, response) => {
      const index = handled.push(request.url ?? '') - 1;
      owned.push(response.socket !== null);
      begun[index]?.resolve();
      await gates[index]?.promise;
      response.end(`response to ${request.url}`);
    });
    const client = connect(server.port, host);
    let text = '';
    client.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    client.write(pipelined(2));
    await begun[0]?.promise;
    // A request on another connection passes through the same loop later than the second one.
    const other = connect(server.port, host);
    await once(other, 'connect');
    other.destroy();

    expect(handled).toEqual(['/0']);
    gates[0]?.resolve();
    await begun[1]?.promise;
    gates[1]?.resolve();
    await server.close(drainMs);
    await once(client, 'close');

    expect(handled).toEqual(['/0', '/1']);
    expect(owned).toEqual([true, true]);
    expect(text.match(/response to .\d/g)).toEqual(['response to /0', 'response to /1']);
  });

  test('do not hold the close after their connection ended', async () => {
    const begun = Promise.withResolvers<void>();
    await start(() => begun.resolve());
    const client = connect(server.port, host);
    client.write(pipelined(3));
    await begun.promise;

    client.destroy();

    await server.close(drainMs);
  });
});

describe('A connection that is taken over', () => {
  const request = 'GET / HTTP/1.1\r\nHost: here\r\n\r\n';

  /** The server's end of the connection of the first request, whether it was taken over. */
  async function takeOver(bytes: string) {
    const first = Promise.withResolvers<{ socket: Socket; isTaken: boolean }>();
    const served: WeakRef<IncomingMessage | ServerResponse>[] = [];
    await start(async (request, response) => {
      served.push(new WeakRef(request), new WeakRef(response));
      const { socket } = request;
      response.writeHead(200, { Connection: 'close' }).flushHeaders();
      first.resolve({ socket, isTaken: await takeOverConnection(response) });
    });
    const client = connect(server.port, host);
    client.write(bytes);
    return { client, served, ...(await first.promise) };
  }

  test('has nothing of HTTP in memory any more, and its bytes are those of its new owner', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { client, served, socket, isTaken } = await takeOver(request);
    const received = once(socket, 'data');
    client.write(request);

    expect([isTaken, String(await received)]).toEqual([true, request]);
    await waitFor('its request and its response are collected', () => {
      collectGarbage();
      return served.every((one) => one.deref() === undefined);
    });
    expect(socket.eventNames()).toEqual(['close']);
  });

  test('ends with its server', async () => {
    const { client } = await takeOver(request);

    await server.close(0);

    await once(client.resume(), 'close');
  });

  test.each([
    ['another request waits after it', request + request],
    ['its request has a body', 'GET / HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\n\r\n'],
  ])('stays one of HTTP where %s', async (_name, bytes) => {
    const { client, isTaken } = await takeOver(bytes);

    expect(isTaken).toBe(false);
    client.destroy();
  });
});

test('past its connections a server closes further ones, and serves those that it has', async () => {
  server = await startHttpServer({
    listener: (_request, response) => response.end('here'),
    connectionsMax: 1,
    host,
    port: 0,
  });
  const first = connect(server.port, host);
  await once(first, 'connect');
  first.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(first, 'data');

  const second = connect(server.port, host);
  await once(second, 'close');
  first.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [response] = await once(first, 'data');
  first.destroy();

  expect(String(response)).toMatch(/here$/);
});

test('a connection counts for its peer from its start to its end, taken over or not, and one too many is closed', async () => {
  const counted: string[] = [];
  let count = 0;
  const peers = {
    add(address: string) {
      counted.push(address);
      if (count === 2) return false;
      count += 1;
      return true;
    },
    remove(address: string) {
      expect(address).toBe(host);
      count -= 1;
    },
  };
  const taken = Promise.withResolvers<boolean>();
  server = await startHttpServer({
    async listener({ socket }, response) {
      response.writeHead(200, { Connection: 'close' }).flushHeaders();
      taken.resolve(await takeOverConnection(response));
      socket.on('error', () => {}).on('end', () => socket.end());
      socket.resume();
    },
    ...{ host, port: 0, peers },
  });
  const [stream, idle] = [connect(server.port, host), connect(server.port, host)];
  await Promise.all([stream, idle].map((socket) => once(socket, 'connect')));
  stream.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');

  expect(await taken.promise).toBe(true);
  await once(connect(server.port, host), 'close');
  expect([count, new Set(counted)]).toEqual([2, new Set([host])]);
  stream.destroy();
  await waitFor('its end is seen', () => count === 1);
  const next = connect(server.port, host);
  await waitFor('another one is admitted', () => count === 2);
  for (const socket of [idle, next]) socket.destroy();
  await waitFor('none is left', () => count === 0);
});
