import { connect } from 'node:net';

/** What a client saw of one page before its connection ended. */
export interface SeenPage {
  /** Null when not even the status line came. */
  readonly status: number | null;
  /** Bytes after the head; the first one makes a charge final. */
  readonly bodyBytes: number;
  readonly isWhole: boolean;
}

export interface CutRead {
  readonly gatewayUrl: string;
  readonly path: string;
  readonly apiKey: string;
  /** Hangs up this long after the request was sent; null reads to the end. */
  readonly cutAfterMs: number | null;
}

const hangMs = 45_000;

/** Reads a page over a connection of its own and hangs up on request. */
export function readAndCut({ gatewayUrl, path, apiKey, cutAfterMs }: CutRead): Promise<SeenPage> {
  const { hostname, port } = new URL(gatewayUrl);
  const parts: Buffer[] = [];
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let cut: NodeJS.Timeout | undefined;
    socket.setTimeout(hangMs, () => socket.destroy());
    socket.on('connect', () => {
      const lines = [
        `GET ${path} HTTP/1.1`,
        `Host: ${hostname}`,
        `X-API-Key: ${apiKey}`,
        'Connection: close',
      ];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      // What the kernel has already is read before the line goes down: it was delivered.
      const hangUp = () => setImmediate(() => setImmediate(() => socket.destroy()));
      if (cutAfterMs !== null) cut = setTimeout(hangUp, cutAfterMs);
    });
    socket.on('data', (part) => parts.push(part));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(cut);
      resolve(seenIn(Buffer.concat(parts)));
    });
  });
}

function seenIn(received: Buffer): SeenPage {
  const headEnd = received.indexOf('\r\n\r\n');
  const head = received.subarray(0, Math.max(0, headEnd)).toString('latin1');
  const [, status] = /^HTTP\/1\.1 ([0-9]{3})/.exec(head) ?? [];
  if (headEnd < 0 || status === undefined) return { status: null, bodyBytes: 0, isWhole: false };
  const body = received.subarray(headEnd + 4);
  const [, length] = /content-length: ([0-9]+)/i.exec(head) ?? [];
  // Chunks begin with a size line that is no byte of the body.
  const bodyBytes = length === undefined ? Math.max(0, body.length - 4) : body.length;
  const isWhole =
    length === undefined
      ? body.subarray(-5).toString() === '0\r\n\r\n'
      : bodyBytes === Number(length);
  return { status: Number(status), bodyBytes, isWhole };
}
