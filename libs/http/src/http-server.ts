import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from '@inventory/runtime/wait';

export interface HttpServerOptions {
  readonly listener: RequestListener;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Stops accepting, lets requests in flight end for `drainMs`, then cuts what is left. */
  close(drainMs: number): Promise<void>;
}

/** Listens, or rejects with a sentence that names the port when it is taken. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 20_000, requestTimeout: 60_000, noDelay: true },
    options.listener,
  );
  server.maxRequestsPerSocket = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${options.port} on ${options.host} is taken by another process`)
          : error,
      ),
    );
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${port}`,
    port,
    server,
    close: (drainMs) => closeServer(server, drainMs),
  };
}

async function closeServer(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const ended = new AbortController();
  await Promise.race([closed, pause(drainMs, ended.signal)]);
  ended.abort();
  server.closeAllConnections();
  await closed;
}
