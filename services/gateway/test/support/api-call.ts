import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface ApiCall {
  readonly method?: string;
  readonly path: string;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as JSON unless it is text or bytes already. */
  readonly body?: unknown;
}

/** The parts of an envelope that tests read. */
export interface Envelope {
  readonly success: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member.
  readonly data: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly error: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly meta: any;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: Envelope;
  /** From the first byte sent to the last byte received. */
  readonly tookMs: number;
}

/** Ends a run that hangs. */
const hangMs = 300_000;
const agent = new Agent({ keepAlive: true, maxSockets: 400 });

/** One request to a gateway, byte for byte as given. */
export function callApi(baseUrl: string, call: ApiCall): Promise<ApiResponse> {
  const { hostname, port } = new URL(baseUrl);
  const isRaw = typeof call.body === 'string' || Buffer.isBuffer(call.body);
  const isChunked = call.headers?.['transfer-encoding'] !== undefined;
  const body = isRaw ? (call.body as string | Buffer) : JSON.stringify(call.body);
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        hostname,
        port,
        method: call.method ?? 'GET',
        path: call.path,
        timeout: hangMs,
        headers: {
          ...(call.key === undefined ? {} : { 'x-api-key': call.key }),
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(call.body === undefined || isChunked
            ? {}
            : { 'content-length': Buffer.byteLength(body) }),
          ...call.headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes,
            text: bytes.toString(),
            get json() {
              return JSON.parse(bytes.toString()) as Envelope;
            },
            tookMs: performance.now() - startMs,
          });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`${call.path}: no answer in ${hangMs} ms`)));
    sent.on('error', reject);
    sent.end(call.body === undefined ? undefined : body);
  });
}

/** Sockets that stay open keep Jest from ending. */
export function closeCalls(): void {
  agent.destroy();
}
