import { ConnectionError, InventoryError, UnexpectedAnswerError } from './errors.ts';
import { createFrameParser, type Frame } from './frame-parser.ts';
import { readAnswer } from './read-answer.ts';
import {
  type Call,
  causeOf,
  checkedApiKey,
  checkedBaseUrl,
  nameOf,
  reasonOf,
  type TransportOptions,
  userAgent,
} from './transport.ts';

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

const refusalBytesMax = 64 * 1024;

export function createStreamTransport(options: TransportOptions): OpenStream {
  const baseUrl = checkedBaseUrl(options.baseUrl);
  const apiKey = checkedApiKey(options.apiKey);

  return async function* open({ path, lastEventId, silenceMaxMs, signal }) {
    const call: Call = { method: 'GET', path };
    const abandoned = new AbortController();
    const within = silenceWatch(options, silenceMaxMs, abandoned);
    try {
      const response = await within(
        options.fetch(`${baseUrl}${path}`, {
          method: 'GET',
          headers: {
            'X-API-Key': apiKey,
            Accept: 'text/event-stream',
            'Cache-Control': 'no-cache',
            'User-Agent': userAgent,
            ...(lastEventId === null ? {} : { 'Last-Event-ID': lastEventId }),
          },
          redirect: 'manual',
          signal:
            signal === undefined ? abandoned.signal : AbortSignal.any([signal, abandoned.signal]),
        }),
      );
      if (response.status < 200 || response.status > 299) {
        const text = (await textOf(response, within)).replaceAll(apiKey, '[key]');
        readAnswer(call, { status: response.status, headers: response.headers, text });
      }
      yield* framesOf(response, within);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof InventoryError) throw error;
      const reason = abandoned.signal.aborted ? `no data for ${silenceMaxMs} ms` : reasonOf(error);
      throw new ConnectionError(`${nameOf(call)}: ${reason}`, { cause: causeOf(error, apiKey) });
    } finally {
      abandoned.abort();
    }
  };
}

type Within = <Result>(work: Promise<Result>) => Promise<Result>;

/** Runs only while bytes are awaited: a slow consumer does not count as silence. */
function silenceWatch(
  { startTimer }: Pick<TransportOptions, 'startTimer'>,
  silenceMaxMs: number,
  abandoned: AbortController,
): Within {
  return async (work) => {
    const stopTimer = startTimer(silenceMaxMs, () => abandoned.abort());
    try {
      return await work;
    } finally {
      stopTimer();
    }
  };
}

async function* framesOf(response: Response, within: Within): AsyncGenerator<Frame, void, void> {
  const type = response.headers.get('content-type') ?? '';
  const isStream = response.status === 200 && /^text\/event-stream\s*(;|$)/i.test(type);
  if (!isStream || response.body === null) {
    throw new UnexpectedAnswerError('The response is no stream of events.');
  }
  const parser = createFrameParser();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await within(reader.read());
    if (done) return;
    yield* parser.take(value);
  }
}

async function textOf(response: Response, within: Within): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; bytes < refusalBytesMax; ) {
    const { done, value } = await within(reader.read());
    if (done) break;
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  return text;
}
