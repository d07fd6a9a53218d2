import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import './collect-garbage.ts';

/*
 * The least a server of event streams does: it holds connections by path and, once in a round of
 * the event loop, writes what came in to each with one call. Messages: {path, count} to publish.
 */
export interface Publication {
  readonly path: string;
  readonly count: number;
}

const held = new Map<string, Socket[]>();
const pending = new Map<string, string[]>();
const padding = 'x'.repeat(300);
let isPlanned = false;

const server = createServer((request, response) => {
  const { socket } = response;
  if (!socket) return;
  response.removeHeader('transfer-encoding');
  response.writeHead(200, { 'Content-Type': 'text/event-stream', Connection: 'close' });
  response.flushHeaders();
  socket.write('event: checkpoint\nid: 0\ndata: {}\n\n');
  const path = request.url ?? '';
  const sockets = held.get(path) ?? [];
  sockets.push(socket);
  held.set(path, sockets);
  socket.on('error', () => {});
  socket.once('close', () => {
    const rest = (held.get(path) ?? []).filter((one) => one !== socket);
    held.set(path, rest);
  });
});

function flush(): void {
  isPlanned = false;
  for (const [path, frames] of pending) {
    const bytes = Buffer.from(frames.join(''));
    for (const socket of held.get(path) ?? []) socket.write(bytes);
  }
  pending.clear();
}

process.on('message', ({ path, count }: Publication) => {
  const frames = pending.get(path) ?? [];
  for (let number = 0; number < count; number += 1) {
    const at = new Date().toISOString();
    frames.push(
      `event: inventory.refresh.completed\nid: ${number}\ndata: {"id":"${padding}","occurred_at":"${at}"}\n\n`,
    );
  }
  pending.set(path, frames);
  if (!isPlanned) setImmediate(flush);
  isPlanned = true;
});

server.listen(0, '127.0.0.1', () => {
  process.send?.(String((server.address() as AddressInfo).port));
});
