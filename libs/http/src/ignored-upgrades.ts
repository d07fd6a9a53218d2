import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import type { OpenResponses } from './pipelined-requests.ts';

/**
 * Serves a request with `Upgrade` as one without it, as a server may (RFC 9110, 7.8). Node's parser
 * stops behind such a request, and what arrived with it would be lost. So the connection is given to
 * Node's HTTP again, with the request as its next bytes, behind the answers to earlier ones.
 */
export function ignoreUpgrades(
  server: Server,
  open: OpenResponses,
  release: (socket: Socket) => void,
): void {
  server.on('upgrade', (request, socket, rest) => {
    if (!(socket instanceof Socket)) return;
    release(socket);
    // Node has removed its own.
    if (socket.listenerCount('error') === 0) socket.on('error', () => {});
    socket.unshift(Buffer.concat([headWithoutUpgrade(request), rest]));
    const earlier = [...(open.get(socket) ?? [])].map((response) => once(response, 'close'));
    void Promise.all(earlier).then(() => {
      if (socket.writable) server.emit('connection', socket);
    });
  });
}

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value] = rawHeaders.slice(at, at + 2);
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
