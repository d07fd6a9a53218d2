import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The header of every request of Kafka's protocol. */
export interface KafkaRequest {
  /** The API key of the request. */
  readonly key: number;
  readonly version: number;
}

export interface BrokerProxy {
  readonly address: string;
  /** Ends every connection, and each new one at once, until `restore`. */
  cut(): void;
  restore(): void;
  /** How many connections were ended at once. */
  turnedAway(): number;
  close(): void;
}

/**
 * A proxy in front of a broker on this machine, whose port replaces the broker's in every response. A
 * request is forwarded unless `answer` returns the body of its response.
 */
export async function startBrokerProxy(
  realAddress: string,
  responseTo: (request: KafkaRequest) => Buffer | undefined,
): Promise<BrokerProxy> {
  const [host = '', port = ''] = realAddress.split(':');
  const sockets = new Set<Socket>();
  let ownPort = 0;
  let isCut = false;
  let turnedAway = 0;
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (isCut) {
      turnedAway += 1;
      client.destroy();
      return;
    }
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
      const body = responseTo(headOf(request));
      if (body === undefined) real.write(request);
      else client.write(replyTo(request, body));
    });
    onFrames(real, (reply) => client.write(renamed(reply, host, Number(port), ownPort)));
  });
  // On every interface: responses keep the host of the broker, which in a container is no loopback.
  server.listen(0);
  await once(server, 'listening');
  ownPort = (server.address() as AddressInfo).port;
  return {
    address: `127.0.0.1:${ownPort}`,
    cut() {
      isCut = true;
      endAll();
    },
    restore() {
      isCut = false;
    },
    turnedAway: () => turnedAway,
    close() {
      endAll();
      server.close();
    },
  };
}

/** Splits the bytes of a socket into frames: four bytes of length, then the body. */
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

/** Replaces the broker's port by the proxy's in every response. */
function renamed(reply: Buffer, host: string, port: number, ownPort: number): Buffer {
  const address = Buffer.alloc(host.length + 4);
  address.write(host);
  address.writeInt32BE(port, host.length);
  const copy = Buffer.from(reply);
  for (let at = copy.indexOf(address); at >= 0; at = copy.indexOf(address, at + 1)) {
    copy.writeInt32BE(ownPort, at + host.length);
  }
  return copy;
}
