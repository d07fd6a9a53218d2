import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { V1Access } from './v1-walk.ts';

export interface KeyProxy {
  readonly url: string;
  close(): Promise<void>;
}

const passedHeaders = ['content-type', 'retry-after', 'x-request-id', 'x-credits-charged'];

/**
 * A proxy on this machine for clients that can neither be given another address nor a header: it
 * takes what was meant for the platform's own `/inventory/{id}/{app}/{context}` and asks V1 for it,
 * with the key. The platform calls the language `l`.
 */
export async function startKeyProxy(access: V1Access): Promise<KeyProxy> {
  const server = createServer((request, response) => {
    // A client that goes through a proxy sends the whole address.
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://proxy');
    if (!/^\/inventory(\/[0-9]+){3}$/.test(pathname)) {
      response.writeHead(404).end();
      return;
    }
    const query = new URLSearchParams();
    const language = searchParams.get('l');
    const start = searchParams.get('start_assetid');
    if (language !== null) query.set('language', language);
    if (start !== null) query.set('start_assetid', start);
    forward(`${access.baseUrl}/api/v1${pathname}?${query}`, access.apiKey, response).catch(() =>
      response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function forward(url: string, apiKey: string, response: ServerResponse): Promise<void> {
  const forwarded = await fetch(url, { headers: { 'X-API-Key': apiKey }, redirect: 'manual' });
  const headers = passedHeaders.flatMap((name) => {
    const value = forwarded.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const body = Buffer.from(await forwarded.arrayBuffer());
  response.writeHead(forwarded.status, Object.fromEntries(headers)).end(body);
}
