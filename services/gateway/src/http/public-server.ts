import { IncomingMessage } from 'node:http';
import {
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
} from '@inventory/http/http-server';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { detachCallerTrace } from '@inventory/runtime/tracing';
import { commonHeaders, newRequestId } from './assign-request-id.ts';
import { errorText } from './render-errors.ts';

export interface PublicServerOptions extends HttpServerOptions {
  readonly identifiers: Identifiers;
  readonly deadlines: { readonly silenceMs: number };
}

/** Serves the public API; bytes that are no request get an error code too. */
export async function startPublicServer(options: PublicServerOptions): Promise<HttpServer> {
  const { identifiers, deadlines } = options;
  const started = await startHttpServer({
    ...options,
    halfClosed: true,
    renderRefusal(refusal) {
      const requestId = newRequestId(identifiers);
      return {
        headers: { ...commonHeaders, 'X-Request-ID': requestId },
        body: errorText(refusal, { request_id: requestId }),
      };
    },
  });
  const { server } = started;
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...given: unknown[]) => {
    if (given[0] instanceof IncomingMessage) detachCallerTrace(given[0]);
    return emit(event, ...given);
  };
  server.setTimeout(deadlines.silenceMs);
  // An unknown `Expect` does not prevent a response.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return started;
}
