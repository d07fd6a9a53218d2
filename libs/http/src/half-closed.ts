import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenResponses } from './pipelined-requests.ts';

/** Most answers are sent before: their clients see no `100 Continue`. */
const firstProbeMs = 1_000;
const secondProbeMs = 250;
const probeMaxMs = 8_000;

/**
 * Lets the clients of a server end their side behind a request and still have the answer. One that
 * has left looks the same until something is sent to it: while an answer is not begun,
 * `100 Continue` is, which every client of HTTP/1.1 has to read over (RFC 9110, 15.2).
 */
export function allowHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

export function probeOnceHalfClosed(socket: Socket, open: OpenResponses): void {
  socket.on('end', () => {
    probeUntilClosed(socket, firstProbeMs, () => {
      const [response] = open.get(socket) ?? [];
      if (!response) return false;
      const isPossible = response.req.httpVersion === '1.1' && response.socket === socket;
      if (isPossible && !response.headersSent) response.writeContinue();
      return true;
    });
  });
}

/**
 * Sends something with growing pauses until the connection closes, or nothing more was sent. Behind
 * the first that a client which has left is sent, its reset arrives, and the second one fails.
 */
export function probeUntilClosed(socket: Socket, firstMs: number, send: () => boolean): void {
  let pauseMs = secondProbeMs;
  const probe = (): void => {
    if (socket.destroyed || !send()) return;
    setTimeout(probe, pauseMs).unref();
    pauseMs = Math.min(2 * pauseMs, probeMaxMs);
  };
  setTimeout(probe, firstMs).unref();
}
