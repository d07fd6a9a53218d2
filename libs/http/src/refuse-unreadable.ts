import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
import type { Refusal } from '@inventory/contracts/refusal';
import type { OpenResponses } from './pipelined-requests.ts';
import { errorOf, statusOf } from './refused.ts';

/** Headers and JSON body of a refusal that has no route. */
export type RenderRefusal = (refusal: Refusal) => {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** As the operator API and the internal ones have it. */
export const plainRefusal: RenderRefusal = (refusal) => ({
  headers: { 'Cache-Control': 'no-store' },
  body: Buffer.from(JSON.stringify({ error: errorOf(refusal) })),
});

const lingerMs = 1_000;

/** A host with or without a port, which may be empty (RFC 9112, 3.2). */
const hostValue = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/**
 * Refuses what Node reads as a request and HTTP/1.1 does not (RFC 9112, 3.2 and 6.1): without a host
 * or with two, or coded in another way than in chunks.
 */
export function refuseInvalid(listener: RequestListener, render: RenderRefusal): RequestListener {
  return (request, response) => {
    if (hasValidHost(request) && hasKnownCoding(request)) {
      listener(request, response);
      return;
    }
    const { status, headers, body } = refusedBy({ code: 'malformed_request' }, render);
    response.writeHead(status, headers).end(body);
  };
}

function hasValidHost({ headersDistinct, httpVersion }: IncomingMessage): boolean {
  const { host: hosts = [] } = headersDistinct;
  if (hosts.length === 0) return httpVersion === '1.0';
  return hosts.length === 1 && hosts.every((host) => hostValue.test(host));
}

function hasKnownCoding({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding === undefined || (httpVersion === '1.1' && coding.toLowerCase() === 'chunked');
}

/**
 * Refuses what is not read as a request, and CONNECT: after the responses to the requests before it,
 * as the last response of its connection.
 */
export function refuseUnreadable(server: Server, open: OpenResponses, render: RenderRefusal): void {
  const refused = new WeakSet<Socket>();

  function refuse(socket: Socket, refusal: Refusal): void {
    if (refused.has(socket)) return;
    refused.add(socket);
    const { before, unread } = divide([...(open.get(socket) ?? [])]);
    const send = () => {
      if (unread?.headersSent) unread.once('close', () => socket.destroySoon());
      else endWith(socket, bytesOf(refusal, render));
    };
    // Before Node's own listener: where the client has ended its side, that ends the connection.
    if (before.length > 0) before.at(-1)?.prependOnceListener('finish', send);
    else send();
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // After a request with which its client ends the connection: its response is the last one.
    if (error.code === 'HPE_CLOSED_CONNECTION') return;
    if (!(socket instanceof Socket) || error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, { code: codeOf(error.code) });
  });
  server.on('connect', (_request, socket) => {
    if (!(socket instanceof Socket)) return;
    // Node has removed its listeners.
    socket.on('error', () => {});
    refuse(socket, { code: 'method_not_allowed' });
  });
}

function endWith(socket: Socket, bytes: Buffer): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  // Closed at once, the response could be lost while the remainder of the request arrives.
  socket.resume().end(bytes, () => {
    setTimeout(() => socket.destroy(), lingerMs).unref();
  });
}

/** The refusal is the response to the request whose body cannot be read, unless that has begun. */
function divide(responses: ServerResponse[]) {
  const last = responses.at(-1);
  if (last === undefined || last.req.complete) return { before: responses };
  return { before: responses.slice(0, -1), unread: last };
}

function refusedBy(refusal: Refusal, render: RenderRefusal) {
  const { headers, body } = render(refusal);
  return {
    status: statusOf(refusal),
    headers: {
      ...headers,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': body.length,
    },
    body,
  };
}

function bytesOf(refusal: Refusal, render: RenderRefusal): Buffer {
  const { status, headers, body } = refusedBy(refusal, render);
  const all = {
    ...headers,
    // An authority is not a resource: there is no method that it offers.
    ...(status === 405 ? { Allow: '' } : {}),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function codeOf(problem: string | undefined) {
  switch (problem) {
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout';
    default:
      return 'malformed_request';
  }
}
