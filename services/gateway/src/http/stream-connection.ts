import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { StreamSink } from '../operations/stream-session.ts';

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
  return connectionOn(socket);
}

function connectionOn(socket: Socket): StreamConnection {
  return {
    write: (bytes) => socket.writable && socket.write(bytes),
    end(lastFrame) {
      socket.end(lastFrame);
      const timer = setTimeout(() => socket.destroy(), lastFrameMs);
      socket.once('close', () => clearTimeout(timer));
    },
    onDrained: (callback) => void socket.on('drain', callback),
    onClosed: (callback) => void socket.once('close', callback),
    cut: () => void socket.destroy(),
  };
}
