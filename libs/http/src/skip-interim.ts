import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** `HTTP/1.1 100` */
const statusLength = 12;
/** Of an interim response that is to be dropped, but for the protocol change that it may be. */
const interim = /^HTTP\/1\.[01] 1(?!01)[0-9]{2}$/;
/** Longer than any interim response; what is longer is passed on as it is. */
const headBytesMax = 16 * 1024;

/**
 * A connector whose connections drop interim responses. A client has to accept them unsolicited
 * (RFC 9110, 15.2), and undici closes a connection at `100 Continue`.
 */
export function skippingInterim(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) callback(error, null);
      else callback(null, isHttp2(socket) ? socket : skipInterim(socket));
    });
}

function isHttp2(socket: Socket): boolean {
  return (socket as { alpnProtocol?: unknown }).alpnProtocol === 'h2';
}

/** With one request in flight at a time, a response begins with what is read first after a write. */
export function skipInterim<Stream extends Socket>(socket: Stream): Stream {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  let isHeadDue = false;
  let kept = Buffer.alloc(0);

  socket.write = ((...args: Parameters<Socket['write']>) => {
    isHeadDue = true;
    return write(...args);
  }) as Socket['write'];
  socket.read = (size?: number) => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null || !isHeadDue) return chunk;
      const remaining = afterInterim(Buffer.concat([kept, chunk]));
      isHeadDue = isIncomplete(remaining);
      kept = isHeadDue ? Buffer.from(remaining) : Buffer.alloc(0);
      if (!isHeadDue) return remaining;
    }
  };
  return socket;
}

/** What follows the complete interim responses at the start. */
function afterInterim(bytes: Buffer): Buffer {
  let remaining = bytes;
  while (isInterim(remaining)) {
    const end = remaining.indexOf('\r\n\r\n');
    if (end < 0) break;
    remaining = remaining.subarray(end + 4);
  }
  return remaining;
}

/** Whether more has to arrive before it is known what begins here. */
function isIncomplete(remaining: Buffer): boolean {
  return (
    remaining.length < statusLength || (isInterim(remaining) && remaining.length <= headBytesMax)
  );
}

function isInterim(bytes: Buffer): boolean {
  return interim.test(bytes.toString('latin1', 0, statusLength));
}
