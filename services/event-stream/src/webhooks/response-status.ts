import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** `HTTP/1.1 200` and what ends it. */
const statusLine = /^HTTP\/1\.[01] ([2-9][0-9]{2})[ \r\n]/;
const statusLineLength = 13;
const headEnd = /\r?\n\r?\n/;

/** By the error that ended a connection. */
const statuses = new WeakMap<object, number>();

/** The status of a response whose head was not read to its end; null where none had arrived. */
export function statusBefore(error: unknown): number | null {
  return (typeof error === 'object' && error !== null && statuses.get(error)) || null;
}

/**
 * A connector whose connections note the status of the head that they are in, for the error that
 * ends them there: undici reports a head as a whole. One request is in flight at a time.
 */
export function notingStatus(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) callback(error, null);
      else callback(null, noteStatus(socket));
    });
}

function noteStatus(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  const destroy = socket.destroy.bind(socket);
  /** How the head that is due begins; null while none is. */
  let start: string | null = null;
  /** What was read of it last. */
  let last = '';

  socket.write = ((...args: Parameters<Socket['write']>) => {
    [start, last] = ['', ''];
    return write(...args);
  }) as Socket['write'];
  socket.read = (size?: number) => {
    // It has been parsed by now.
    if (headEnd.test(last)) [start, last] = [null, ''];
    const chunk: Buffer | null = read(size);
    if (start !== null && chunk !== null) {
      start += chunk.toString('latin1', 0, statusLineLength - start.length);
      last = last.slice(-3) + chunk.toString('latin1');
    }
    return chunk;
  };
  socket.destroy = (error?: Error) => {
    const status = statusLine.exec(start ?? '')?.[1];
    if (error && status) statuses.set(error, Number(status));
    return destroy(error);
  };
  return socket;
}
