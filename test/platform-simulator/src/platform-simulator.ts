import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { directIdentity, isProxyIdentity, proxyIdentity } from './egress-identity.ts';
import { requestArrived } from './platform/counters.ts';
import type { Answer } from './platform/failures.ts';
import type { InventoryRequest } from './platform/inventory-request.ts';
import { defaultSettings, newWorld, type World, type WorldSettings } from './platform/world.ts';
import { errorAnswer, type PlatformRequest, respond } from './respond.ts';

export type PlatformSimulatorOptions = {
  /** Default 127.0.0.1, where 127.0.0.2 and the like can be peers of their own. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly limits?: Partial<WorldSettings['limits']>;
  readonly latency?: Partial<WorldSettings['latency']>;
  /** Monotonic milliseconds for the limiter; a test passes its own clock. */
  readonly now?: () => number;
};

export type PlatformSimulator = {
  readonly url: string;
  /**
   * The address of the forward proxy for one egress identity: 1 to 128 printable ASCII characters
   * without space and colon. Throws on any other.
   */
  readonly proxyUrl: (identity: string) => string;
  readonly close: () => Promise<void>;
};

const proxyRefusal =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="egress identity"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

const bodyBytesMax = 64 * 1024;

/** Starts the platform on one port, which is its forward proxy as well. */
export async function startPlatformSimulator(
  options: PlatformSimulatorOptions = {},
): Promise<PlatformSimulator> {
  const world = newWorld({
    limits: { ...defaultSettings.limits, ...options.limits },
    latency: { ...defaultSettings.latency, ...options.latency },
  });
  const server = platformServer(world, options.now ?? (() => performance.now()));
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, host, options.port ?? 0);
  const authority = `${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
  return {
    url: `http://${authority}`,
    proxyUrl: (identity) => `http://${userInfo(identity)}@${authority}`,
    close: () => close(server),
  };
}

function userInfo(identity: string): string {
  if (!isProxyIdentity(identity)) {
    throw new RangeError(`${JSON.stringify(identity)} cannot be an egress identity`);
  }
  return `${encodeURIComponent(identity)}:-`;
}

function platformServer(world: World, now: () => number): Server {
  /** Identities of tunnels; a tunnelled socket is handed back to this same server. */
  const tunnels = new WeakMap<Duplex, string>();
  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    readRequest(request, tunnels.get(request.socket), now)
      .then((read) => serve(read, response, world))
      .catch((error: unknown) => sendBug(error, response));
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const identity = proxyIdentity(request.headers['proxy-authorization']);
    socket.on('error', () => socket.destroy());
    if (identity === undefined) {
      // Destroyed once written: a client that keeps its half open must not hold up `close`.
      socket.end(proxyRefusal, () => socket.destroy());
      return;
    }
    tunnels.set(socket, identity);
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) {
      socket.unshift(head);
    }
    server.emit('connection', socket);
  });
  return server;
}

/** A request as the core takes it, or the response to one that never gets there. */
async function readRequest(
  request: IncomingMessage,
  tunnelIdentity: string | undefined,
  now: () => number,
): Promise<PlatformRequest | Answer> {
  const target = request.url ?? '/';
  const identity = tunnelIdentity ?? directIdentity(request.socket.remoteAddress);
  const url = URL.parse(target, 'http://platform');
  if (url === null) {
    return errorAnswer(400, 'The request target is no URL.');
  }
  const body = await readBody(request);
  return body === undefined
    ? errorAnswer(413, `A body has at most ${bodyBytesMax} bytes.`)
    : { method: request.method ?? 'GET', url, identity, nowMs: now(), body };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > bodyBytesMax) {
      return undefined;
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function serve(read: PlatformRequest | Answer, response: ServerResponse, world: World): void {
  if ('status' in read) {
    send(read, response);
    return;
  }
  const { answer, inventory } = respond(read, world);
  if (inventory !== undefined) {
    const counted = requestArrived(world.counters, inventory.identity, inventory.platformId);
    counted.answered(answer.status);
    response.once('close', counted.finished);
  }
  const waiting = inventory && heldAnswers(world, inventory);
  if (waiting) {
    const release = () => send(answer, response);
    waiting.add(release);
    response.once('close', () => waiting.delete(release));
    return;
  }
  if (answer.delayMs === 0) {
    send(answer, response);
    return;
  }
  const timer = setTimeout(() => send(answer, response), answer.delayMs);
  response.once('close', () => clearTimeout(timer));
}

function heldAnswers(world: World, { platformId, startAssetId }: InventoryRequest) {
  const held = world.held.get(platformId);
  return held?.laterPagesOnly && startAssetId === undefined ? undefined : held?.waiting;
}

function send(answer: Answer, response: ServerResponse): void {
  const body = Buffer.isBuffer(answer.body) ? answer.body : Buffer.from(answer.body);
  for (const status of answer.interim ?? []) {
    response.socket?.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n\r\n`);
  }
  response.writeHead(answer.status, {
    'content-type': answer.contentType,
    'content-length': body.length,
    ...answer.headers,
    ...(answer.status === 413 ? { connection: 'close' } : {}),
  });
  if (answer.cut) {
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
    return;
  }
  response.end(body);
}

/** Reports a fault of the simulator itself, distinct from the platform's failures. */
function sendBug(error: unknown, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const text = error instanceof Error ? error.message : String(error);
  send(errorAnswer(500, `The platform simulator is broken: ${text}`), response);
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
