import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pause } from '@inventory/runtime/wait';

/** A TCP proxy whose target may change or be absent. */
export interface Route {
  readonly url: string;
  readonly port: number;
  /** Ends every open connection whose target is no longer allowed. */
  recheck(): void;
  close(): Promise<void>;
}

/**
 * Connections are accepted while `targetOf` names a port, and closed at once while it does not.
 * `onSent` receives every byte that clients send.
 */
export async function openRoute(
  targetOf: () => number | null,
  onSent: (part: Buffer) => void = () => {},
): Promise<Route> {
  const open = new Map<Socket, number>();
  const server = createServer((client) => {
    const port = targetOf();
    if (port === null) {
      client.destroy();
      return;
    }
    const target = connect({ host: '127.0.0.1', port, noDelay: true });
    for (const socket of [client, target]) {
      open.set(socket, port);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    client.on('data', onSent);
    client.pipe(target);
    target.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    recheck() {
      for (const [socket, used] of open) if (used !== targetOf()) socket.destroy();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open.keys()) socket.destroy();
      await closed;
    },
  };
}

export interface Replica {
  readonly healthUrl: string;
  /** The port that serves the requests. */
  readonly port: number;
}

const probePauseMs = 250;
const probeTimeoutMs = 3_000;
const failuresMax = 2;

/**
 * One address of a service that leads to its replica while `/readyz` is 200, as a Kubernetes Service
 * does; two failed probes in a row remove the replica.
 */
export async function routeWhileReady(replicaOf: () => Replica | null): Promise<Route> {
  let failures = failuresMax;
  const route = await openRoute(() =>
    failures < failuresMax ? (replicaOf()?.port ?? null) : null,
  );
  const stopping = new AbortController();
  async function probe(): Promise<void> {
    while (!stopping.signal.aborted) {
      failures = (await isReady(replicaOf()?.healthUrl)) ? 0 : failures + 1;
      route.recheck();
      await pause(probePauseMs, stopping.signal);
    }
  }
  void probe();
  return {
    ...route,
    async close() {
      stopping.abort();
      await route.close();
    },
  };
}

async function isReady(healthUrl: string | undefined): Promise<boolean> {
  if (healthUrl === undefined) return false;
  const signal = AbortSignal.timeout(probeTimeoutMs);
  const response = await fetch(`${healthUrl}/readyz`, { signal }).catch(() => null);
  return response?.status === 200;
}
