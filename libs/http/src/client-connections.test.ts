import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { waitFor } from '@inventory/testkit/wait-for';
import fc from 'fast-check';
import { type HttpServer, startHttpServer } from './http-server.ts';

const host = '127.0.0.1';
let server: HttpServer;
afterEach(() => server.close(0));

async function start(listener: RequestListener): Promise<HttpServer> {
  server = await startHttpServer({ listener, host, port: 0 });
  return server;
}

interface Client {
  readonly socket: Socket;
  /** Everything it has received. */
  readonly text: () => string;
  /** Everything, once the server has ended its side. */
  readonly all: Promise<string>;
}

function openClient(): Client {
  const socket = connect({ port: server.port, host, allowHalfOpen: true });
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => {});
  const all = new Promise<string>((resolve) => {
    for (const end of ['end', 'close']) socket.on(end, () => resolve(text));
  });
  void all.then(() => socket.end());
  return { socket, text: () => text, all };
}

const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, one]) => one);
const responsesIn = (text: string) => text.match(/response to \S+/g) ?? [];

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('latin1')) body += chunk;
  return body;
}

/** Responds with what it received, body included. */
const echo: RequestListener = async (request, response) => {
  const body = await bodyOf(request).catch(() => null);
  response.end(`response to ${request.url}${body}\n`);
};

/** Responds as `echo`, the first one once its gate is open. */
async function startGated(): Promise<{ release: () => void; handled: () => number }> {
  const gate = Promise.withResolvers<void>();
  let handled = 0;
  await start(async (request, response) => {
    handled += 1;
    if (handled === 1) await gate.promise;
    await echo(request, response);
  });
  return { release: () => gate.resolve(), handled: () => handled };
}

const get = (path: string, more = '', version = '1.1') =>
  `GET /${path} HTTP/${version}\r\nHost: here\r\n${more}\r\n`;
const post = (path: string, body: string, more = '') =>
  `POST /${path} HTTP/1.1\r\nHost: here\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const postChunks = (path: string, body: string, more = '') =>
  `POST /${path} HTTP/1.1\r\nHost: here\r\n${more}Transfer-Encoding: chunked\r\n\r\n` +
  `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';
const websocket = 'connection: upgrade\r\nUPGRADE: websocket\r\n';

/** Requests by the response that they have. */
const kinds: Record<string, (path: string) => string> = {
  plain: get,
  body: (path) => post(path, 'body'),
  chunks: (path) => postChunks(path, 'body'),
};

const requestWith = (lines: string, body = '') => `POST /invalid HTTP/1.1\r\n${lines}\r\n${body}`;
const chunks = '4\r\nbody\r\n0\r\n\r\n';

/** Are no requests of HTTP/1.1, and leave the connection as it is: by their end. */
const invalid: Record<string, string> = {
  noHost: requestWith('Accept: */*\r\n'),
  twoHosts: requestWith('Host: here\r\nHost: here\r\n'),
  twoHostsApart: requestWith('Host: here\r\nContent-Length: 4\r\nhost: there\r\n', 'body'),
  listOfHosts: requestWith('Host: here, there\r\n'),
  pathAsHost: requestWith('Host: here/there\r\n'),
  userOfHost: requestWith('Host: me@here\r\n'),
  portOfHost: requestWith('Host: here:http\r\n'),
  packed: requestWith('Host: here\r\nTransfer-Encoding: gzip, chunked\r\n', chunks),
  packedInTwoLines: requestWith(
    'Host: here\r\nTransfer-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n',
    chunks,
  ),
};

/** What may follow the last request, and the status that it has; what is cut is known by its end. */
const ends: Record<string, readonly [string, string, 'cut'?]> = {
  another: [get('last', 'Connection: close\r\n'), '200'],
  upgrade: [get('last', h2c) + get('dropped'), '200'],
  otherUpgrade: [get('last', websocket), '200'],
  upgradeWithBody: [post('last', 'body', h2c) + get('dropped'), '200'],
  upgradeWithChunks: [postChunks('last', 'body', websocket), '200'],
  garbage: ['\x00\x01 hello\r\n\r\n', '400'],
  tls: ['\x16\x03\x01\x02\x00\x01\x00', '400'],
  half: ['GET /half HT', '400', 'cut'],
  badHeader: ['GET / HTTP/1.1\r\nHost: here\r\nbroken\r\n\r\n', '400'],
  brokenBody: ['POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', '400'],
  cutBody: ['POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n123', '400', 'cut'],
  largeHeader: [get('large', `X: ${'x'.repeat(20_000)}\r\n`), '431'],
  connect: ['CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', '405'],
};

const conversation = fc.record({
  requests: fc.array(fc.constantFrom(...Object.keys({ ...kinds, ...invalid })), {
    minLength: 1,
    maxLength: 30,
  }),
  end: fc.constantFrom(...Object.keys(ends)),
  cuts: fc.array(fc.nat(), { maxLength: 4 }),
  isSlow: fc.boolean(),
});

test('whatever a client sends on one connection, and in whatever chunks, every request has its response, in order, and what is not a request after them', async () => {
  let isSlow = false;
  await start(async (request, response) => {
    if (isSlow) await new Promise((resolve) => setImmediate(resolve));
    await echo(request, response);
  });
  await fc.assert(
    fc.asyncProperty(conversation, async ({ requests, end, cuts, isSlow: slowly }) => {
      isSlow = slowly;
      const [last, status, cut] = ends[end] ?? ['', ''];
      const sent =
        requests.map((kind, index) => invalid[kind] ?? kinds[kind]?.(String(index))).join('') +
        last;
      const { socket, all } = openClient();

      let from = 0;
      for (const at of cuts.map((cut) => cut % sent.length).toSorted((a, b) => a - b)) {
        await new Promise((resolve) => socket.write(sent.slice(from, at), 'latin1', resolve));
        from = at;
      }
      socket.write(sent.slice(from), 'latin1');
      if (cut) socket.end();
      const text = await all;

      const responses = requests.map(
        (kind, index) => `response to /${index}${/body|chunks/i.test(kind) ? 'body' : ''}`,
      );
      const isValid = (index: number) => requests[index] !== undefined && requests[index] in kinds;
      const lastResponses =
        status === '200' ? [expect.stringMatching(/^response to \/last(body)?$/)] : [];
      expect(responsesIn(text)).toEqual([
        ...responses.filter((_response, index) => isValid(index)),
        ...lastResponses,
      ]);
      expect(statusesIn(text)).toEqual([
        ...requests.map((_kind, index) => (isValid(index) ? '200' : '400')),
        status,
      ]);
    }),
    { numRuns: propertyRuns(60) },
  );
});

test('the request of a client that ends its side is cancelled', async () => {
  const cancelled = Promise.withResolvers<void>();
  await start((_request, response) => void response.once('close', cancelled.resolve));
  const { socket, all } = openClient();

  socket.end(get('a'));

  await cancelled.promise;
  expect(await all).toBe('');
});

describe('Pipelined requests', () => {
  const pipelined = (count: number) =>
    Array.from({ length: count }, (_none, index) => get(String(index))).join('');

  test.each([2, 18, 50, 300, 2_000])(
    '%i at once all have their responses, in order',
    async (count) => {
      const { release, handled } = await startGated();
      const { socket, all } = openClient();

      socket.write(pipelined(count) + get('last', 'Connection: close\r\n'));
      await waitFor('the first is handled', () => handled() === 1);
      release();

      const responses = responsesIn(await all);
      expect(responses).toHaveLength(count + 1);
      expect(responses.slice(0, -1)).toEqual(
        Array.from({ length: count }, (_none, index) => `response to /${index}`),
      );
    },
  );

  test('are read no further while too many wait, and then to the end', async () => {
    const { release, handled } = await startGated();
    const accepted = once(server.server, 'connection');
    const { socket, all } = openClient();
    const [connection] = await accepted;
    const padding = `X-Padding: ${'x'.repeat(4_000)}\r\n`;
    const requests = Array.from({ length: 2_000 }, (_none, index) => get(`${index}`, padding));

    socket.write(requests.join('') + get('last', 'Connection: close\r\n'));
    await waitFor('the first is handled', () => handled() === 1);
    // Another connection passes the loop so often.
    for (let round = 0; round < 20; round += 1) {
      const other = openClient();
      other.socket.write(get('other', 'Connection: close\r\n'));
      await other.all;
    }

    expect(connection.bytesRead).toBeLessThan(256 * 1024);
    release();
    expect(responsesIn(await all)).toHaveLength(requests.length + 1);
  });

  test('of all connections are bounded: one that brings too many is closed', async () => {
    await start(() => {});
    const clients = Array.from({ length: 8 }, openClient);

    for (const { socket } of clients) socket.write(pipelined(2_000));

    await waitFor('one is closed', () => clients.some(({ socket }) => socket.destroyed));
    expect(clients.some(({ socket }) => !socket.destroyed)).toBe(true);
    for (const { socket } of clients) socket.destroy();
  });
});

describe('What is not a request', () => {
  test('is refused after the response that is under way when it arrives', async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    await start((_request, response) => {
      response.writeHead(200, { 'Content-Length': 14 }).write('response');
      begun.resolve(response);
    });
    const { socket, all, text } = openClient();
    socket.write(get('a'));
    const response = await begun.promise;
    await waitFor('its begin arrives', () => text().endsWith('response'));

    socket.write('\x00 no request\r\n\r\n');
    await once(server.server, 'clientError');
    response.end(' to it');

    expect(await all).toMatch(
      /^HTTP\/1\.1 200 OK[\s\S]*response to itHTTP\/1\.1 400 Bad Request\r\n/,
    );
  });

  test.each([
    ['a request', get('second')],
    ['empty lines', '\r\n\r\n'],
    ['anything', '\x00'],
  ])(
    'nor %s has a response after a request with which its client ends the connection',
    async (_name, more) => {
      const { release, handled } = await startGated();
      const { socket, all } = openClient();

      socket.write(get('last', 'Connection: close\r\n') + more);
      await waitFor('it is handled', () => handled() === 1);
      release();

      expect([statusesIn(await all), responsesIn(await all)]).toEqual([
        ['200'],
        ['response to /last'],
      ]);
    },
  );

  test('has no second response where it is the body of a request', async () => {
    await start((_request, response) => void response.writeHead(401).end('response to it'));
    const { socket, all, text } = openClient();
    socket.write('POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n');
    await waitFor('it has its response', () => text().includes('response to it'));

    socket.write('zz\r\n');

    expect(statusesIn(await all)).toEqual(['401', '400']);
  });
});
