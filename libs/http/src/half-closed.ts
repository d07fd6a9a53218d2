import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pause } from '@inventory/runtime/wait';
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
      if (response.socket === socket) sendContinue(response);
      return true;
    });
  });
}

/**
 * Before a response that must not go to a client which has left: where that has ended its side, it is
 * asked, and a moment waited for its reset, behind which the next write fails.
 */
export async function probeHalfClosed(response: ServerResponse): Promise<void> {
  const { socket } = response;
  if (!socket?.readableEnded || socket.destroyed || !sendContinue(response)) return;
  await pause(secondProbeMs);
}

/** False where the client cannot have it. */
function sendContinue(response: ServerResponse): boolean {
  const isPossible = response.req.httpVersion === '1.1' && !response.headersSent;
  if (isPossible) response.writeContinue();
  return isPossible;
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
