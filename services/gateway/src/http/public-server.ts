import { IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
} from '@inventory/http/http-server';
import { statusOf } from '@inventory/http/refused';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { detachCallerTrace } from '@inventory/runtime/tracing';
import type { Deadlines } from '../deadlines.ts';
import { commonHeaders, newRequestId } from './assign-request-id.ts';
import { errorText } from './render-errors.ts';

export interface PublicServerOptions extends HttpServerOptions {
  readonly identifiers: Identifiers;
  readonly deadlines: Pick<Deadlines, 'silenceMs'>;
}

const lingerMs = 1_000;

/** Serves the public API; bytes that are no request get an error code too. */
export async function startPublicServer(options: PublicServerOptions): Promise<HttpServer> {
  const started = await startHttpServer(options);
  const { server } = started;
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...given: unknown[]) => {
    if (given[0] instanceof IncomingMessage) detachCallerTrace(given[0]);
    return emit(event, ...given);
  };
  server.setTimeout(options.deadlines.silenceMs);
  // An unknown `Expect` and a missing `Host` do not prevent a response.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  Object.assign(server, { requireHostHeader: false });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: SocketInUse) => {
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
      socket.destroy();
      return;
    }
    // Closed at once, the response could be lost while the rest of the request arrives.
    socket.end(badRequest(error.code, options.identifiers), () => {
      setTimeout(() => socket.destroy(), lingerMs).unref();
    });
  });
  return started;
}

/** A connection on which a response may be in progress. */
interface SocketInUse extends Duplex {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

function badRequest(problem: string | undefined, identifiers: Identifiers): Buffer {
  const refusal = { code: codeOf(problem) } as const;
  const status = statusOf(refusal);
  const requestId = newRequestId(identifiers);
  const body = errorText(refusal, { request_id: requestId });
  const headers = {
    ...commonHeaders,
    'X-Request-ID': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
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
