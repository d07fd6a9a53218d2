import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Chance } from '../../support/random-seed.ts';

export interface CuttingProxyOptions {
  /** Where the next connection may go; one of them by chance. */
  readonly targets: () => readonly string[];
  readonly chance: Chance;
  /** Mean life of a connection; null cuts none. */
  readonly lifeMeanMs: number | null;
  /** One connection in so many is not cut; by default none is spared. */
  readonly sparedOneIn?: number;
  /** Put before the first frame, so that readers that obey it come back as soon as that. */
  readonly retryMs?: number;
}

/** A network between readers and gateways that ends connections at any moment and any byte. */
export interface CuttingProxy {
  readonly url: string;
  readonly cuts: () => number;
  readonly connections: () => number;
  calm(): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(options: CuttingProxyOptions): Promise<CuttingProxy> {
  const { targets, chance } = options;
  const sockets = new Set<Socket>();
  let { lifeMeanMs } = options;
  let cuts = 0;
  let connections = 0;
  let isClosed = false;

  function lifeMs(): number | null {
    const { sparedOneIn } = options;
    const isSpared = sparedOneIn !== undefined && chance.below(sparedOneIn) === 0;
    return lifeMeanMs === null || isSpared ? null : chance.below(2 * lifeMeanMs);
  }

  const server = createServer((client) => {
    const known = targets();
    const target = known[chance.below(known.length)];
    if (target === undefined || isClosed) {
      client.destroy();
      return;
    }
    const { port, hostname } = new URL(target);
    const upstream = connect(Number(port), hostname);
    connections += 1;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (part) => upstream.write(part));
    upstream.on('data', (part) => client.write(withRetry(part, options.retryMs)));
    upstream.on('end', () => client.end());
    const life = lifeMs();
    if (life === null) return;
    const timer = setTimeout(() => {
      cuts += 1;
      cutAnywhere(client, upstream, chance);
    }, life);
    client.on('close', () => clearTimeout(timer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    connections: () => connections,
    calm() {
      lifeMeanMs = null;
    },
    async close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** At once, or in the middle of what comes next: with an end, or with a reset. */
function cutAnywhere(client: Socket, upstream: Socket, chance: Chance): void {
  const end = () => (chance.below(2) === 0 ? client.end() : client.resetAndDestroy());
  if (chance.below(2) === 0) {
    end();
    return;
  }
  upstream.removeAllListeners('data');
  upstream.once('data', (part: Buffer) => {
    client.write(part.subarray(0, chance.below(part.length)), end);
  });
}

function withRetry(part: Buffer, retryMs: number | undefined): Buffer {
  const headEnd = part.indexOf('\r\n\r\n');
  const isHead = part.subarray(0, 12).toString('latin1') === 'HTTP/1.1 200';
  if (retryMs === undefined || !isHead || headEnd < 0) return part;
  const head = part.subarray(0, headEnd + 4);
  const line = `retry: ${retryMs}\n\n`;
  const chunk = `${line.length.toString(16)}\r\n${line}\r\n`;
  return Buffer.concat([head, Buffer.from(chunk), part.subarray(headEnd + 4)]);
}
