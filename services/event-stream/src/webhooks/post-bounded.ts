import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { startBytesMax } from './response-text.ts';

export interface BoundedRequest {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface BoundedResponse {
  readonly status: number;
  /** The header as received; null where it is absent, or repeated. */
  readonly retryAfter: string | null;
  /** Of the body. */
  readonly start: Buffer;
}

/** This much of a response body is read, so that the connection can be reused. */
const bodyBytesMax = 16 * 1024;
const bodyMs = 1_000;

/** Posts a body and reads the start of the response. Rejects when there is no response head. */
export async function postBounded(
  dispatcher: Dispatcher,
  request: BoundedRequest,
  signal: AbortSignal,
): Promise<BoundedResponse> {
  const response = await dispatcher.request({ ...request, method: 'POST', signal });
  const { 'retry-after': retryAfter } = response.headers;
  return {
    status: response.statusCode,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
    start: await startOf(response.body),
  };
}

/**
 * The status decides: a body that fails, does not end or is too long closes its connection, and what
 * arrived of it is kept.
 */
async function startOf(body: Readable): Promise<Buffer> {
  const timer = setTimeout(() => body.destroy(), bodyMs);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > bodyBytesMax) break;
    }
  } catch {
    // Its connection is closed.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, startBytesMax);
}
