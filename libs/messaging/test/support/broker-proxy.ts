import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What every request of Kafka's protocol begins with. */
export interface KafkaRequest {
  /** Which kind of request, by its number in the protocol. */
  readonly key: number;
  readonly version: number;
}

export interface BrokerProxy {
  readonly address: string;
  close(): void;
}

/**
 * Stands before a real broker, under an address of its own in everything the broker says of
 * itself. A request is passed on unless there is an answer: the body of its reply.
 */
export async function startBrokerProxy(
  realAddress: string,
  answerTo: (request: KafkaRequest) => Buffer | undefined,
): Promise<BrokerProxy> {
  const [host = '', port = ''] = realAddress.split(':');
  const sockets = new Set<Socket>();
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
      const body = answerTo(headOf(request));
      if (body === undefined) real.write(request);
      else client.write(replyTo(request, body));
    });
    onFrames(real, (reply) => client.write(renamed(reply, host, Number(port), ownPort)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ownPort = (server.address() as AddressInfo).port;
  return {
    address: `127.0.0.1:${ownPort}`,
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

function headOf(request: Buffer): KafkaRequest {
  return { key: request.readInt16BE(4), version: request.readInt16BE(6) };
}

function replyTo(request: Buffer, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(4 + body.length, 0);
  head.writeInt32BE(request.readInt32BE(8), 4);
  return Buffer.concat([head, body]);
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
