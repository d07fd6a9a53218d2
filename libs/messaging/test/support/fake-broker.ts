import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface FakeBroker {
  readonly address: string;
  close(): void;
}

const apiVersionsKey = 18;

/**
 * Stands before a real broker and passes everything on, but answers the first question for
 * versions by itself: request `key` is offered from `min` to `max`, and nothing else.
 */
export async function startFakeBroker(
  realAddress: string,
  offer: { key: number; min: number; max: number },
): Promise<FakeBroker> {
  const [host = '', port = ''] = realAddress.split(':');
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.once('data', (first: Buffer) => {
      if (first.readInt16BE(4) === apiVersionsKey && first.readInt16BE(6) === 0) {
        client.write(versionsAnswer(first.readInt32BE(8), offer));
        return;
      }
      const real = connect({ host, port: Number(port) });
      sockets.add(real);
      real.on('error', () => {});
      real.write(first);
      client.pipe(real).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${ownPort}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function versionsAnswer(correlationId: number, offer: { key: number; min: number; max: number }) {
  const answer = Buffer.alloc(20);
  answer.writeInt32BE(16, 0);
  answer.writeInt32BE(correlationId, 4);
  answer.writeInt16BE(0, 8);
  answer.writeInt32BE(1, 10);
  answer.writeInt16BE(offer.key, 14);
  answer.writeInt16BE(offer.min, 16);
  answer.writeInt16BE(offer.max, 18);
  return answer;
}
