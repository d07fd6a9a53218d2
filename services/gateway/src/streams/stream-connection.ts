import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { StreamSink } from './stream-session.ts';

/** The open end of a stream's HTTP answer. */
export interface StreamConnection extends StreamSink {
  /** Calls back each time the connection took all it had. */
  onDrained(callback: () => void): void;
  /** Calls back once, when the connection is gone, whoever ended it. */
  onClosed(callback: () => void): void;
  /** At once, without what is still queued. */
  cut(): void;
}

/** A client that takes the last frame no sooner is cut off. */
const lastFrameMs = 2_000;

/**
 * Answers with a body that ends when the connection does. Frames are written to the socket
 * itself, each buffer shared by all who get the same: the response object would copy and frame
 * every one of them anew.
 */
export function openStreamConnection(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): StreamConnection | null {
  const { socket } = response;
  if (!socket || socket.destroyed) return null;
  response.removeHeader('transfer-encoding');
  response.writeHead(200, { ...headers, Connection: 'close' });
  response.flushHeaders();
  setImmediate(letGo, response);
  return new SocketConnection(socket);
}

/**
 * The request is served when its stream is open. Who waits for the end of the answer (the
 * framework, measurements, the trace) is told now, not in a quarter of an hour, and forgets the
 * request: held until then, that is half of what a stream costs. The framework takes `end`.
 */
function letGo(response: ServerResponse): void {
  response.emit('end');
  response.emit('close');
}

class SocketConnection implements StreamConnection {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  write(bytes: Buffer): boolean {
    return this.#socket.writable && this.#socket.write(bytes);
  }

  end(lastFrame: string): void {
    const socket = this.#socket;
    socket.end(lastFrame);
    const timer = setTimeout(() => socket.destroy(), lastFrameMs);
    socket.once('close', () => clearTimeout(timer));
  }

  onDrained(callback: () => void): void {
    this.#socket.on('drain', callback);
  }

  onClosed(callback: () => void): void {
    this.#socket.once('close', callback);
  }

  cut(): void {
    this.#socket.destroy();
  }
}
