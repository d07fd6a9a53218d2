import { types } from 'node:util';
import type { ClientEnvironment } from './client-environment.ts';
import { ConnectionError, UnexpectedAnswerError } from './errors.ts';

/** One request of the interface. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** With its query, relative to the base address. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
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

export const userAgent = 'inventory-client/0.1.0';
/** Above every page: 2,000 assets, each with the longest known description. */
const bodyBytesMax = 256 * 1024 * 1024;

/**
 * One attempt over HTTP. Rejects with {@link ConnectionError} without a complete response, and with
 * the signal's reason when it is aborted. No error contains the key.
 */
export function createTransport(options: TransportOptions): Send {
  const baseUrl = checkedBaseUrl(options.baseUrl);
  const apiKey = checkedApiKey(options.apiKey);

  return async function send(call, { timeoutMs, signal }) {
    const timeout = new AbortController();
    const stopTimer = options.startTimer(Math.max(1, Math.ceil(timeoutMs)), () => timeout.abort());
    try {
      const response = await options.fetch(`${baseUrl}${call.path}`, {
        method: call.method,
        headers: headersOf(call, apiKey),
        // A redirect would send the key to another address.
        redirect: 'manual',
        signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      });
      const text = await textOf(response);
      // The service never returns the key; a proxy might.
      const safeText = response.ok ? text : text.replaceAll(apiKey, '[key]');
      return { status: response.status, headers: response.headers, text: safeText };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof UnexpectedAnswerError) throw error;
      const isLate = timeout.signal.aborted;
      const reason = isLate ? `no response within ${Math.ceil(timeoutMs)} ms` : reasonOf(error);
      throw new ConnectionError(`${nameOf(call)}: ${reason}`, { cause: causeOf(error, apiKey) });
    } finally {
      stopTimer();
    }
  };
}

/** Without the query, which may identify the customer's data. */
export function nameOf({ method, path }: Call): string {
  return `${method} ${path.split('?')[0]}`;
}

function headersOf(call: Call, apiKey: string): Record<string, string> {
  return {
    'X-API-Key': apiKey,
    Accept: 'application/json',
    'User-Agent': userAgent,
    ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(call.idempotencyKey === undefined ? {} : { 'Idempotency-Key': call.idempotencyKey }),
  };
}

async function textOf(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > bodyBytesMax) throw new UnexpectedAnswerError('The response is too large.');
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join('');
}

/** A code such as ECONNREFUSED; messages are left out because some quote the request. */
export function reasonOf(error: unknown): string {
  const { cause, name } = (error ?? {}) as { cause?: { code?: unknown }; name?: unknown };
  const { code } = (cause ?? error ?? {}) as { code?: unknown };
  return [code, name].find((word) => typeof word === 'string') ?? 'failed';
}

const causesMax = 5;

/** Names, codes and messages of an error and its causes, without the key and without the request. */
export function causeOf(error: unknown, apiKey: string, depth = 0): Error | undefined {
  if (!types.isNativeError(error) || depth === causesMax) return undefined;
  const { code, errors = [] } = error as { code?: unknown; errors?: readonly unknown[] };
  const texts = [error, ...errors].map((one) => (types.isNativeError(one) ? one.message : ''));
  const message = texts.filter((text) => text !== '').join('; ');
  const cause = causeOf(error.cause, apiKey, depth + 1);
  const copy = new Error(message.replaceAll(apiKey, '[key]'), cause && { cause });
  copy.name = error.name;
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy;
}

export function checkedBaseUrl(baseUrl: string): string {
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
export function checkedApiKey(apiKey: string): string {
  if (!/^[\x21-\x7e]{1,512}$/.test(apiKey)) {
    throw new TypeError('apiKey must be printable ASCII without blanks.');
  }
  return apiKey;
}
