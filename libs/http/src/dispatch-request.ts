import type { Dispatcher } from 'undici';

export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A response with its body as it arrived: nothing is copied, and no stream is made of it. */
export interface PartsResponse extends ResponseHead {
  readonly parts: readonly Buffer[];
}

/** A body exceeds the limit of its request. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/**
 * Sends a request and collects its response. Rejects, and closes the connection, where the signal is
 * aborted first, and with {@link BodyTooLarge} as soon as the body exceeds `bytesMax`.
 */
export function dispatchRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { signal, bytesMax = Number.POSITIVE_INFINITY }: { signal: AbortSignal; bytesMax?: number },
): Promise<PartsResponse> {
  return new Promise((resolve, reject) => {
    let abort = () => {};
    let head: ResponseHead;
    const chunks: Buffer[] = [];
    let bytes = 0;
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        abort = () => controller.abort(signal.reason);
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      },
      onResponseStart(_controller, status, headers) {
        head = { status, headers };
      },
      onResponseData(controller, chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > bytesMax) controller.abort(new BodyTooLarge('the body is too large'));
      },
      onResponseEnd() {
        signal.removeEventListener('abort', abort);
        resolve({ ...head, parts: chunks });
      },
      onResponseError(_controller, error) {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    });
  });
}
