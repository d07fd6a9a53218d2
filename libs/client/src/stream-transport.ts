import { UnexpectedAnswerError } from './errors.ts';
import { readAnswer } from './read-answer.ts';
import { createFrameParser, type Frame } from './stream-frames.ts';
import { createAttempts, type TransportOptions } from './transport.ts';

export interface StreamRequest {
  /** Relative to the base address. */
  readonly path: string;
  readonly lastEventId: string | null;
  /** Longest time without a byte, before the response head too. */
  readonly silenceMaxMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The frames of one connection until it ends. Rejects as a call does; leaving the loop closes the
 * connection. Bytes are read only when the frames before them have been consumed.
 */
export type OpenStream = (request: StreamRequest) => AsyncGenerator<Frame, void, void>;

export function createStreamTransport(options: TransportOptions): OpenStream {
  const start = createAttempts(options);

  return async function* open({ path, lastEventId, silenceMaxMs, signal }) {
    const call = { method: 'GET', path } as const;
    const attempt = start(call, signal);
    /** Runs only while bytes are awaited: a slow consumer does not count as silence. */
    async function within<Result>(work: Promise<Result>): Promise<Result> {
      const stopTimer = options.startTimer(silenceMaxMs, attempt.abort);
      return await work.finally(stopTimer);
    }
    try {
      const headers = { Accept: 'text/event-stream', 'Cache-Control': 'no-cache' };
      const position = lastEventId === null ? {} : { 'Last-Event-ID': lastEventId };
      const response = await within(attempt.request({ ...headers, ...position }));
      const bytes = bytesOf(response, within);
      if (!response.ok) readAnswer(call, await attempt.readText(response, bytes));
      if (!isStream(response)) {
        throw new UnexpectedAnswerError('The response is no stream of events.');
      }
      const parser = createFrameParser();
      for await (const chunk of bytes) yield* parser.take(chunk);
    } catch (error) {
      throw attempt.errorOf(error, `no data for ${silenceMaxMs} ms`);
    } finally {
      attempt.abort();
    }
  };
}

async function* bytesOf(
  { body }: Response,
  within: <Result>(work: Promise<Result>) => Promise<Result>,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await within(reader.read());
    if (done) return;
    yield value;
  }
}

function isStream({ status, headers }: Response): boolean {
  return status === 200 && /^text\/event-stream\s*(;|$)/i.test(headers.get('content-type') ?? '');
}
