import type { Dispatcher } from 'undici';
import { startBytesMax } from './answer-text.ts';

export interface BoundedRequest {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface BoundedAnswer {
  readonly status: number;
  /** The header as received; null where it is absent, or repeated. */
  readonly retryAfter: string | null;
  /** Of the body. */
  readonly start: Buffer;
}

/** This much of a response body is read, so that the connection can be reused. */
const bodyBytesMax = 16 * 1024;
const bodyMs = 1_000;
const cutShort = new Error('the response is not read to its end');

/**
 * Posts a body and reads the start of the answer. The status decides: a body that fails, does not end
 * or is too long closes its connection, and what arrived of it is kept. Rejects when there is no
 * response head, at once when the signal is aborted before. The body is taken as it comes: no stream is
 * made for it.
 */
export function postBounded(
  dispatcher: Dispatcher,
  request: BoundedRequest,
  signal: AbortSignal,
): Promise<BoundedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<BoundedAnswer>();
  const kept: Buffer[] = [];
  let bytes = 0;
  let head: Omit<BoundedAnswer, 'start'> | undefined;
  let sending: Dispatcher.DispatchController | undefined;
  let timer: NodeJS.Timeout | undefined;

  function settle(error?: Error): void {
    clearTimeout(timer);
    signal.removeEventListener('abort', cut);
    if (head === undefined) reject(error);
    else resolve({ ...head, start: Buffer.concat(kept) });
  }

  function cut(): void {
    settle(cutShort);
    sending?.abort(cutShort);
  }

  signal.addEventListener('abort', cut);
  dispatcher.dispatch(
    { ...request, method: 'POST' },
    {
      onRequestStart(controller) {
        sending = controller;
        if (signal.aborted) controller.abort(cutShort);
      },
      onResponseStart(_controller, status, headers) {
        // An interim response, such as `100 Continue`.
        if (status < 200) return;
        const retryAfter = headers['retry-after'];
        head = { status, retryAfter: typeof retryAfter === 'string' ? retryAfter : null };
        timer = setTimeout(cut, bodyMs);
      },
      onResponseData(_controller, chunk) {
        if (bytes < startBytesMax) kept.push(chunk.subarray(0, startBytesMax - bytes));
        bytes += chunk.length;
        if (bytes > bodyBytesMax) cut();
      },
      onResponseEnd: () => settle(),
      onResponseError: (_controller, error) => settle(error),
    },
  );
  return promise;
}
