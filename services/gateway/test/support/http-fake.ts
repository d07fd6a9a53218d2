import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Refusal } from '@inventory/contracts/refusal';
import { statusOf } from '@inventory/http/refused';

export interface FakeResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** An HTTP server that answers by a function; `isDown` makes it cut every connection. */
export interface HttpFake {
  readonly url: string;
  isDown: boolean;
  close(): Promise<void>;
}

export async function startHttpFake(
  responseTo: (url: URL, request: IncomingMessage) => FakeResponse | Promise<FakeResponse>,
): Promise<HttpFake> {
  // Idle connections are left to the client, which would otherwise send on one that just ended.
  const server = createServer(
    { keepAliveTimeout: 600_000 },
    (request, response) => void respond(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const fake = {
    url,
    isDown: false,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (fake.isDown) {
      request.socket.destroy();
      return;
    }
    const given = await responseTo(new URL(request.url ?? '', url), request);
    response.writeHead(given.status, given.headers).end(given.body);
  }

  return fake;
}

export function jsonResponse(value: unknown, status = 200): FakeResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  };
}

/** A refusal, as an internal API answers it. */
export function refusalResponse(refusal: Refusal): FakeResponse {
  return jsonResponse({ error: { ...refusal, message: 'refused' } }, statusOf(refusal));
}

export const noRouteResponse = refusalResponse({ code: 'route_not_found' });
