import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { takeOverConnection } from '@inventory/http/http-server';
import { chunkOf, contentOfChunks, lastChunk } from './event-frame.domain.ts';
import { peerName } from './silent-peers.ts';

/** Longest wait for the last frame to be accepted; then the connection is closed. */
const lastFrameMs = 2_000;

/** Bytes after the request that are ignored; a client that sends more is cut. */
const ignoredBytesMax = 64 * 1024;

/**
 * Sends a body of chunks, of HTTP/1.0 one that ends with the connection; null when that is closed
 * already. Frames are written to the socket itself, and all connections share one buffer: the response
 * object would copy and frame each of them. HTTP ends where the body begins, which is two thirds of
 * the memory of a stream.
 */
export async function openStreamConnection(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Promise<StreamConnection | null> {
  const { socket } = response;
  if (!socket?.writable) return null;
  const isChunked = response.req.httpVersion === '1.1';
  const framing = isChunked ? { 'Transfer-Encoding': 'chunked' } : {};
  response.writeHead(200, { ...headers, ...framing, Connection: 'close' });
  response.flushHeaders();
  setImmediate(letGo, response);
  if (await takeOverConnection(response)) readOn(socket);
  if (!socket.writable) return null;
  return new SocketConnection(socket, isChunked);
}

/**
 * The request is completed when its stream is open: the framework, metrics and the trace get the
 * end of the response now and release the request. The framework takes `end`.
 */
function letGo(response: ServerResponse): void {
  response.emit('end');
  response.emit('close');
}

/** Ignores what the client sends, until it ends its side. */
function readOn(socket: Socket): void {
  const readBefore = socket.bytesRead;
  socket.on('data', () => {
    if (socket.bytesRead - readBefore > ignoredBytesMax) socket.destroy();
  });
  socket.on('end', () => socket.destroy());
  // `close` follows.
  socket.on('error', () => {});
}

/** What Node itself judges the progress of a write by: the remainder of the current one. */
interface WithHandle {
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
}

class SocketConnection {
  readonly #socket: Socket;
  /** A client of HTTP/1.0 does not know chunks. */
  readonly #isChunked: boolean;

  constructor(socket: Socket, isChunked: boolean) {
    this.#socket = socket;
    this.#isChunked = isChunked;
  }

  /** Address and port of the other end, as `SilentPeers` has them. */
  get remote(): string {
    return peerName(this.#socket.remoteAddress ?? '', this.#socket.remotePort ?? 0);
  }

  /** Bytes that the socket has not taken. */
  get queued(): number {
    return this.#socket.writableLength;
  }

  /** Bytes that the socket has taken since it opened. */
  get taken(): number {
    const { _handle: handle } = this.#socket as WithHandle;
    return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
  }

  /** More should wait until `onDrained`. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** Writes whole chunks, of which any number may be queued. */
  write(chunks: Buffer): void {
    if (!this.#socket.writable) return;
    this.#socket.write(this.#isChunked ? chunks : contentOfChunks(chunks));
  }

  /** Writes a last frame, if possible, and closes the connection. */
  end(lastFrame: string): void {
    const socket = this.#socket;
    const chunks = [chunkOf(lastFrame), Buffer.from(lastChunk)];
    socket.end(this.#isChunked ? Buffer.concat(chunks) : lastFrame);
    const timer = setTimeout(() => socket.destroy(), lastFrameMs);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Calls back each time the connection has sent all its data. */
  onDrained(callback: () => void): void {
    this.#socket.on('drain', callback);
  }

  /** Calls back once, when the connection is closed by either side. */
  onClosed(callback: () => void): void {
    // Without `once`, whose wrapper is memory of every stream: it is emitted once.
    this.#socket.on('close', callback);
  }

  /** Closes the connection at once and discards what is queued. */
  cut(): void {
    this.#socket.destroy();
  }
}

/** The connection of a stream's HTTP response. */
export type StreamConnection = Pick<SocketConnection, keyof SocketConnection>;
