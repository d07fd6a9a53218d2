import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock } from './file-lock.ts';
import { ProvisionError } from './provision-error.ts';

/**
 * Below the ports that systems give to outgoing connections (32768 on Linux, 49152 elsewhere): a
 * client that keeps knocking on a stopped server's port in that range can connect to itself and
 * so keep the server from coming back.
 */
const lowestPort = 15_000;
const highestPort = 32_000;
const triesMax = 50;
const claimsFolder = join(tmpdir(), `inventory-ports-${process.getuid?.() ?? 'user'}`);

/**
 * A port of the loopback interface that nobody listens on. It is this process's as long as it
 * lives: seconds pass before a server listens there, and longer while one is down, and until then
 * no other process that asks here is given the same.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = randomInt(lowestPort, highestPort);
    if ((await isPortFree(port)) && tryLock(join(claimsFolder, String(port))) !== null) return port;
  }
  throw new ProvisionError(
    `No free port was found between ${lowestPort} and ${highestPort} on 127.0.0.1: stop some of the programs that listen there.`,
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
