import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pause } from '@inventory/runtime/wait';
import { handleInOrder, type OpenResponses } from './pipelined-requests.ts';
import { hasBody } from './read-body.ts';
import {
  plainRefusal,
  type RenderRefusal,
  refuseInvalid,
  refuseUnreadable,
} from './refuse-unreadable.ts';

export interface HttpServerOptions {
  readonly listener: RequestListener;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Further ones are closed as they come; unlimited when absent. */
  readonly connectionsMax?: number;
  /** Renders the refusal of what is not read as a request. */
  readonly renderRefusal?: RenderRefusal;
  readonly peers?: PeerConnections;
}

/** Counts the open connections of peers, by their addresses. */
export interface PeerConnections {
  /** False where the connection is to be closed: it is not counted then. */
  add(address: string): boolean;
  remove(address: string): void;
}

export type HttpServer = Awaited<ReturnType<typeof startHttpServer>>;

interface OpenConnections {
  readonly responses: OpenResponses;
  readonly peers: PeerConnections | undefined;
}

/** The open connections among which a connection is, those of its server. */
const openWith = new WeakMap<Socket, OpenConnections>();

/** Listens; rejects with the port in the message when it is in use. */
export async function startHttpServer(options: HttpServerOptions) {
  const open: OpenResponses = new Map();
  const connections = { responses: open, peers: options.peers };
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: 20_000,
    requestTimeout: 60_000,
    noDelay: true,
    // Its response has no body, and it serves two hosts.
    requireHostHeader: false,
  });
  const render = options.renderRefusal ?? plainRefusal;
  const pipelined = handleInOrder(open, refuseInvalid(options.listener, render));
  server.on('connection', (socket) => {
    openWith.set(socket, connections);
    if (!track(socket, connections)) {
      socket.destroy();
      return;
    }
    pipelined.watch(socket);
  });
  server.on('request', pipelined.listener);
  refuseUnreadable(server, open, render);
  server.maxRequestsPerSocket = 0;
  if (options.connectionsMax !== undefined) server.maxConnections = options.connectionsMax;
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${port}`,
    port,
    server,
    /** Stops accepting, drains requests in flight for `drainMs`, then closes every connection. */
    close: (drainMs: number): Promise<void> => closeServer(server, open, drainMs),
  };
}

/** False where the peer has too many. */
function track(socket: Socket, { responses, peers }: OpenConnections): boolean {
  const address = socket.remoteAddress ?? '';
  if (peers?.add(address) === false) return false;
  responses.set(socket, new Set());
  socket.on('close', () => {
    responses.delete(socket);
    peers?.remove(address);
  });
  return true;
}

/**
 * Ends HTTP on the connection of a response whose head is sent: Node's parser, request and response
 * are released. The connection is left without listeners, and its server closes it at its own end.
 * False, and nothing is changed, where the request has a body or another request waits after it:
 * only the end of the connection releases those.
 */
export async function takeOverConnection(response: ServerResponse): Promise<boolean> {
  const { req, socket } = response;
  if (!hasBody(req)) await readToEnd(req);
  const open = socket && openWith.get(socket);
  if (!open || !req.closed || socket.destroyed) return false;
  if (open.responses.get(socket)?.size !== 1) return false;
  response.detachSocket(socket);
  // Node releases the parser of a connection when it closes, and has no other call for that.
  socket.emit('close');
  socket.removeAllListeners();
  socket.setTimeout(0);
  // There is capacity: this connection was not counted any more a moment ago.
  track(socket, open);
  return true;
}

async function readToEnd(request: IncomingMessage): Promise<void> {
  if (request.closed) return;
  await new Promise<void>((resolve) => request.once('close', resolve).resume());
}

function listen(server: Server, { host, port }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port} on ${host} is in use by another process`)
          : error,
      );
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

async function closeServer(server: Server, open: OpenResponses, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A kept-alive connection would delay the close for its whole idle time.
  const closeIdle = () => setImmediate(() => server.closeIdleConnections());
  for (const responses of open.values()) {
    for (const response of responses) {
      if (!response.headersSent) response.setHeader('connection', 'close');
      response.once('close', closeIdle);
    }
  }
  server.closeIdleConnections();
  // Node considers a connection idle only after its first request.
  for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
  const ended = new AbortController();
  await Promise.race([closed, pause(drainMs, ended.signal)]);
  ended.abort();
  for (const socket of open.keys()) socket.destroy();
  await closed;
}
