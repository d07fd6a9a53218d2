import net from 'node:net';
import type { ApiResponse, Envelope } from './api-call.ts';

type RawResponse = Omit<ApiResponse, 'tookMs'>;

/** Sends bytes that no HTTP client would send, and reads one answer. */
export function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<RawResponse> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const done = () => {
      socket.destroy();
      const response = parseResponse(Buffer.concat(chunks));
      if (response) resolve(response);
      else reject(new Error('the connection ended without an answer'));
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const response = parseResponse(Buffer.concat(chunks));
      if (response && response.bytes.length >= lengthOf(response)) done();
    });
    socket.on('end', done);
    socket.on('error', reject);
    socket.write(bytes);
  });
}

/** A body without a length is as long as the connection; of chunks and of streams the first bytes suffice. */
function lengthOf({ headers }: RawResponse): number {
  if (headers['transfer-encoding'] !== undefined) return 0;
  if (headers['content-type'] === 'text/event-stream') return 0;
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
}

const interim = /^(HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n)+/;

function parseResponse(all: Buffer): RawResponse | null {
  const received = all.subarray(interim.exec(all.toString('latin1'))?.[0].length ?? 0);
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bytes = received.subarray(end + 4);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    bytes,
    text: bytes.toString(),
    get json() {
      return JSON.parse(bytes.toString()) as Envelope;
    },
  };
}
