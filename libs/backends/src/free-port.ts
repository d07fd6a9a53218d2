import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { SetupError } from './setup-error.ts';

/**
 * Below the ports of outgoing connections (32768 and up on Linux, 49152 elsewhere): a client that
 * retries a stopped server's port in that range can connect to itself and occupy the port.
 */
const lowestPort = 15_000;
const highestPort = 32_000;
const triesMax = 50;

/**
 * A TCP port of the loopback interface on which nothing listens. It belongs to this process as long
 * as the process runs: no other process gets it here, even before a server listens on it.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = randomInt(lowestPort, highestPort);
    if ((await isPortFree(port)) && (await claim(port))) return port;
  }
  throw new SetupError(
    `No free port was found between ${lowestPort} and ${highestPort} on 127.0.0.1.`,
    'Stop some of the programs that listen there.',
  );
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

/** The UDP port of the same number marks the claim; the system frees it with the process. */
function claim(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => resolve(false));
    socket.bind({ address: '127.0.0.1', port, exclusive: true }, () => resolve(true));
  });
}
