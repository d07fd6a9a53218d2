import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Requests to a group's coordinator, by their key in the protocol. */
const coordinatorRequests = { join: 11, heartbeat: 12 } as const;
type CoordinatorRequest = keyof typeof coordinatorRequests;

/** What a coordinator answers while the group is, or is being, moved to it. */
const coordinatorErrors = { loading: 14, notCoordinator: 16, unknownMember: 25 } as const;
type CoordinatorError = keyof typeof coordinatorErrors;

export interface CoordinatorProxy {
  readonly address: string;
  /** The next such requests are answered here, one by one, and not passed on. */
  refuse(request: CoordinatorRequest, ...errors: readonly CoordinatorError[]): void;
  /** Whether every refusal was given. */
  refused(): boolean;
  /** How many such requests were passed on. */
  passed(request: CoordinatorRequest): number;
  close(): void;
}

/**
 * Stands before a real broker, under an address of its own in everything the broker says of
 * itself, and refuses requests of a group as a coordinator does after its start.
 */
export async function startCoordinatorProxy(realAddress: string): Promise<CoordinatorProxy> {
  const [host = '', port = ''] = realAddress.split(':');
  const sockets = new Set<Socket>();
  const refusals = new Map<number, CoordinatorError[]>();
  const passed = new Map<number, number>();
  let ownPort = 0;
  const server = createServer((client) => {
    const real = connect({ host, port: Number(port) });
    for (const socket of [client, real]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        real.destroy();
      });
    }
    onFrames(client, (request) => {
      const key = request.readInt16BE(4);
      const error = refusals.get(key)?.shift();
      if (error === undefined) {
        passed.set(key, (passed.get(key) ?? 0) + 1);
        real.write(request);
      } else {
        client.write(refusalOf(request, coordinatorErrors[error]));
      }
    });
    onFrames(real, (reply) => client.write(renamed(reply, host, Number(port), ownPort)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ownPort = (server.address() as AddressInfo).port;
  return {
    address: `127.0.0.1:${ownPort}`,
    refuse: (request, ...errors) => void refusals.set(coordinatorRequests[request], [...errors]),
    refused: () => [...refusals.values()].every((errors) => errors.length === 0),
    passed: (request) => passed.get(coordinatorRequests[request]) ?? 0,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Cuts what a socket brings into requests or replies: four bytes of length, then so many. */
function onFrames(socket: Socket, onFrame: (frame: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (part: Buffer) => {
    rest = Buffer.concat([rest, part]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0);
      onFrame(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });
}

/** JoinGroup 5 and Heartbeat 3 begin alike; what follows is nothing, of any length that is asked. */
function refusalOf(request: Buffer, error: number): Buffer {
  const reply = Buffer.alloc(28);
  reply.writeInt32BE(24, 0);
  reply.writeInt32BE(request.readInt32BE(8), 4);
  reply.writeInt16BE(error, 12);
  return reply;
}

/** Everywhere the broker names its address, the proxy's port takes the place of its own. */
function renamed(reply: Buffer, host: string, port: number, ownPort: number): Buffer {
  const address = Buffer.alloc(2 + host.length + 4);
  address.writeInt16BE(host.length, 0);
  address.write(host, 2);
  address.writeInt32BE(port, 2 + host.length);
  const copy = Buffer.from(reply);
  for (let at = copy.indexOf(address); at >= 0; at = copy.indexOf(address, at + 1)) {
    copy.writeInt32BE(ownPort, at + 2 + host.length);
  }
  return copy;
}
