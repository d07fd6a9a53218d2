import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
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
  const answering = new Set<ServerResponse>();
  const connections = new Set<Socket>();
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: 20_000,
    requestTimeout: 60_000,
    noDelay: true,
  });
  server.on('request', (request, response) => {
    answering.add(response);
    response.once('close', () => answering.delete(response));
    options.listener(request, response);
  });
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.maxRequestsPerSocket = 0;
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${port}`,
    port,
    server,
    close: (drainMs) => closeServer(server, { answering, connections }, drainMs),
  };
}

function listen(server: Server, { host, port }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port} on ${host} is taken by another process`)
          : error,
      );
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

interface Open {
  readonly answering: ReadonlySet<ServerResponse>;
  readonly connections: ReadonlySet<Socket>;
}

async function closeServer(
  server: Server,
  { answering, connections }: Open,
  drainMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that its client would keep would hold the close for its whole idle time.
  const closeIdle = () => setImmediate(() => server.closeIdleConnections());
  for (const response of answering) {
    if (!response.headersSent) response.setHeader('connection', 'close');
    response.once('close', closeIdle);
  }
  server.closeIdleConnections();
  // Node takes a connection for idle only after its first request.
  for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  const ended = new AbortController();
  await Promise.race([closed, pause(drainMs, ended.signal)]);
  ended.abort();
  server.closeAllConnections();
  await closed;
}
