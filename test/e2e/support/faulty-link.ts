import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pause } from '@inventory/runtime/wait';

/** Closed port; accepted and silent; late by `slowMs` each way. */
export type LinkState = 'open' | 'refuses' | 'hangs' | 'slow';

/** A TCP connection to one server that fails as a network or a server does, on one port. */
export interface FaultyLink {
  readonly port: number;
  set(state: LinkState): Promise<void>;
  close(): Promise<void>;
}

export interface FaultyLinkOptions {
  /** Asked once per connection. */
  readonly targetPort: () => number;
  readonly slowMs: number;
}

const host = '127.0.0.1';

export async function openFaultyLink(options: FaultyLinkOptions): Promise<FaultyLink> {
  const sockets = new Set<Socket>();
  let state: LinkState = 'open';
  let resumed = Promise.withResolvers<void>();

  function track(socket: Socket, other: () => Socket | undefined): void {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other()?.destroySoon();
    });
  }

  /** What is sent arrives in its order, late or once the link no longer hangs. */
  function forward(from: Socket, to: Socket): void {
    let last = Promise.resolve();
    const deliver = (work: () => void): void => {
      const dueMs = performance.now() + (state === 'slow' ? options.slowMs : 0);
      last = last.then(async () => {
        if (dueMs > performance.now()) await pause(dueMs - performance.now());
        if (state === 'hangs') await resumed.promise;
        work();
      });
    };
    from.on('data', (part) => deliver(() => void (to.destroyed || to.write(part))));
    from.on('end', () => deliver(() => to.end()));
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    let target: Socket | undefined;
    track(client, () => target);
    void (async () => {
      if (state === 'hangs') await resumed.promise;
      if (client.destroyed) return;
      target = connect({ host, port: options.targetPort(), allowHalfOpen: true, noDelay: true });
      track(target, () => client);
      forward(client, target);
      forward(target, client);
    })();
  });
  async function listen(port: number): Promise<void> {
    server.listen(port, host);
    await once(server, 'listening');
  }
  async function refuse(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  }

  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async set(next) {
      state = next;
      if (next === 'refuses') await refuse();
      else if (!server.listening) await listen(port);
      if (next === 'hangs') return;
      resumed.resolve();
      resumed = Promise.withResolvers<void>();
    },
    async close() {
      state = 'open';
      resumed.resolve();
      await refuse();
    },
  };
}
