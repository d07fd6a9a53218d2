import { types } from 'node:util';
import type { ClientEnvironment } from './client-environment.ts';
import { ConnectionError, InventoryError, UnexpectedAnswerError } from './errors.ts';
import { bodyText } from './wire-names.ts';

/** One request of the interface. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query, relative to the base address. */
  readonly path: string;
  /** In the names of the code. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
  /** How long it may be repeated; as long as its deadline allows by default. */
  readonly repeatableMs?: number;
  /** Added to the timeout of an attempt: how long the service may wait. */
  readonly waitMs?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The used part of `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  readonly startTimer: ClientEnvironment['startTimer'];
}

export interface SendLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export type Send = (call: Call, limits: SendLimits) => Promise<HttpAnswer>;

/** Above every page: 2,000 assets, each with the longest known description. */
const bodyBytesMax = 256 * 1024 * 1024;
/** Above every error response of the service; what exceeds it is not read. */
const refusalBytesMax = 1024 * 1024;

/**
 * One attempt over HTTP. Rejects with {@link ConnectionError} without a complete response, and with
 * the signal's reason when it is aborted. No error contains the key.
 */
export function createTransport(options: TransportOptions): Send {
  const start = createAttempts(options);

  return async function send(call, limits) {
    const { signal } = limits;
    const timeoutMs = Math.max(1, Math.ceil(limits.timeoutMs));
    const attempt = start(call, signal);
    const stopTimer = options.startTimer(timeoutMs, attempt.abort);
    try {
      const response = await attempt.request({ Accept: 'application/json' });
      return await attempt.readText(response, response.body ?? []);
    } catch (error) {
      throw attempt.errorOf(error, `no response within ${timeoutMs} ms`);
    } finally {
      stopTimer();
    }
  };
}

/** One request under way. */
interface Attempt {
  request(headers: Readonly<Record<string, string>>): Promise<Response>;
  abort(): void;
  /** The whole response, of which these are the bytes. */
  readText(
    response: Response,
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<HttpAnswer>;
  /** The error to throw for what the request or its body failed with. */
  errorOf(error: unknown, lateReason: string): unknown;
}

/** Starts requests with the key; every error and text that leaves them is without it. */
export function createAttempts(options: TransportOptions) {
  const baseUrl = checkedBaseUrl(options.baseUrl);
  const apiKey = checkedApiKey(options.apiKey);

  return function start(call: Call, signal: AbortSignal | undefined): Attempt {
    const { method, path, body, idempotencyKey } = call;
    const own = new AbortController();
    return {
      request: (headers) =>
        options.fetch(`${baseUrl}${path}`, {
          method,
          headers: {
            'X-API-Key': apiKey,
            'User-Agent': 'inventory-client/0.1.0',
            ...headers,
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
            ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
          },
          // A redirect would send the key to another address.
          redirect: 'manual',
          signal: signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]),
          body: body === undefined ? null : bodyText(body),
        }),
      abort: () => own.abort(),
      async readText({ ok, status, headers }, bytes) {
        const text = await (ok ? textOf(bytes, bodyBytesMax) : textOf(bytes, refusalBytesMax));
        if (ok && text.isCut) throw new UnexpectedAnswerError('The response is too large.');
        // The service never returns the key; a proxy might.
        return { status, headers, text: ok ? text.read : text.read.replaceAll(apiKey, '[key]') };
      },
      errorOf(error, lateReason) {
        if (signal?.aborted) return signal.reason;
        if (error instanceof InventoryError) return error;
        const reason = own.signal.aborted ? lateReason : reasonOf(error);
        return new ConnectionError(`${nameOf(call)}: ${reason}`, { cause: causeOf(error, apiKey) });
      },
    };
  };
}

/** Without the query, which may identify the customer's data. */
export function nameOf({ method, path }: Call): string {
  return `${method} ${path.split('?')[0]}`;
}

async function textOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, bytesMax: number) {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) break;
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder.decode());
  return { read: parts.join(''), isCut: bytes > bytesMax };
}

/** A code such as ECONNREFUSED; messages are left out because some quote the request. */
function reasonOf(error: unknown): string {
  const { cause, name } = (error ?? {}) as { cause?: { code?: unknown }; name?: unknown };
  const { code } = (cause ?? error ?? {}) as { code?: unknown };
  return [code, name].find((word) => typeof word === 'string') ?? 'failed';
}

const causesMax = 5;

/** Names, codes and messages of an error and its causes, without the key and without the request. */
function causeOf(error: unknown, apiKey: string, depth = 0): Error | undefined {
  if (!types.isNativeError(error) || depth === causesMax) return undefined;
  const { code, errors = [] } = error as { code?: unknown; errors?: readonly unknown[] };
  const texts = [error, ...errors].map((one) => (types.isNativeError(one) ? one.message : ''));
  const message = texts.filter((text) => text !== '').join('; ');
  const cause = causeOf(error.cause, apiKey, depth + 1);
  const copy = new Error(message.replaceAll(apiKey, '[key]'), cause && { cause });
  copy.name = error.name;
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy;
}

function checkedBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl and eventsUrl must be http or https addresses.');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('baseUrl and eventsUrl must have no user, query and fragment.');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `fetch` quotes invalid header values in its errors, so the key is validated before. */
function checkedApiKey(apiKey: string): string {
  if (!/^[\x21-\x7e]{1,512}$/.test(apiKey)) {
    throw new TypeError('apiKey must be printable ASCII without blanks.');
  }
  return apiKey;
}
