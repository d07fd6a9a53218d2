import type { Dispatcher } from 'undici';

export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An answer with its body as it arrived: nothing is copied, and no stream is made of it. */
export interface PartsAnswer extends AnswerHead {
  readonly parts: readonly Buffer[];
}

/** A body exceeds the limit of its request. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/**
 * Sends a request and collects its answer. Rejects, and closes the connection, where the signal is
 * aborted first, and with {@link BodyTooLarge} as soon as the body exceeds `bytesMax`.
 */
export function dispatchRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { signal, bytesMax = Number.POSITIVE_INFINITY }: { signal: AbortSignal; bytesMax?: number },
): Promise<PartsAnswer> {
  return new Promise((resolve, reject) => {
    let abort = () => {};
    let head: AnswerHead;
    const parts: Buffer[] = [];
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
      onResponseData(controller, part) {
        parts.push(part);
        bytes += part.length;
        if (bytes > bytesMax) controller.abort(new BodyTooLarge('the body is too large'));
      },
      onResponseEnd() {
        signal.removeEventListener('abort', abort);
        resolve({ ...head, parts });
      },
      onResponseError(_controller, error) {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    });
  });
}
