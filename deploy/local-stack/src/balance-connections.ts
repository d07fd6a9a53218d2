import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface ConnectionBalancer {
  readonly port: number;
  close(): Promise<void>;
}

const connectTimeoutMs = 1_000;

/**
 * One address for several replicas, like a Kubernetes Service: each connection goes to the next
 * replica that accepts it. Listens on any free port of 127.0.0.1.
 */
export async function balanceConnections(ports: readonly number[]): Promise<ConnectionBalancer> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    track(client, open);
    turn = (turn + 1) % ports.length;
    const order = [...ports.slice(turn), ...ports.slice(0, turn)];
    connectFirst(order, open).then(
      (replica) => join(client, replica),
      () => client.destroy(),
    );
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

async function connectFirst(ports: readonly number[], open: Set<Socket>): Promise<Socket> {
  for (const port of ports) {
    const socket = await tryConnect(port);
    if (socket === null) continue;
    track(socket, open);
    return socket;
  }
  throw new Error('no replica accepts connections');
}

function tryConnect(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const settle = (result: Socket | null): void => {
      clearTimeout(deadline);
      if (result === null) socket.destroy();
      resolve(result);
    };
    const deadline = setTimeout(() => settle(null), connectTimeoutMs);
    socket.once('connect', () => settle(socket));
    socket.once('error', () => settle(null));
  });
}

/** The end or failure of one side closes the other. */
function join(client: Socket, replica: Socket): void {
  client.setNoDelay(true);
  client.pipe(replica);
  replica.pipe(client);
  client.once('close', () => replica.destroy());
  replica.once('close', () => client.destroy());
  if (client.destroyed) replica.destroy();
}

function track(socket: Socket, open: Set<Socket>): void {
  open.add(socket);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => open.delete(socket));
}
