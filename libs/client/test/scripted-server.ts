import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  /** Delay of the response. */
  readonly delayMs?: number;
  /**
   * The connection ends before the response, in the middle of the body or after it without its end, or
   * stays open, before the response or after its body.
   */
  readonly fault?: 'refused' | 'cut' | 'torn' | 'silent' | 'stalled';
}

export type Respond = (request: ReceivedRequest, index: number) => ScriptedAnswer;

/** A real HTTP server with scripted responses that records its requests. */
export interface ScriptedServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Responses in turn, the last one for ever; clears the recorded requests. */
  plays(...answers: readonly ScriptedAnswer[]): void;
  responds(respond: Respond): void;
  close(): Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = [];
  let respond: Respond = () => ({ status: 500 });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://server');
      const received: ReceivedRequest = {
        method: request.method ?? '',
        path: pathname,
        query: searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(received);
      const answer = respond(received, requests.length - 1);
      setTimeout(() => write(response, answer), answer.delayMs ?? 0);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    plays(...answers) {
      requests.length = 0;
      respond = (_request, index) => answers[Math.min(index, answers.length - 1)] ?? {};
    },
    responds(next) {
      requests.length = 0;
      respond = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function write(response: ServerResponse, answer: ScriptedAnswer): void {
  const { status = 200, headers = {}, body = {}, fault } = answer;
  if (fault === 'refused') response.destroy();
  if (fault === 'refused' || fault === 'silent') return;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const isWhole = fault === undefined;
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(fault === 'torn' || fault === 'stalled'
      ? {}
      : { 'content-length': Buffer.byteLength(text) }),
    ...headers,
  });
  if (isWhole) {
    response.end(text);
    return;
  }
  const sent = fault === 'cut' ? text.slice(0, text.length / 2) : text;
  // The client receives only what was flushed to the socket before the end.
  response.write(sent, () => fault === 'stalled' || response.destroy());
}
