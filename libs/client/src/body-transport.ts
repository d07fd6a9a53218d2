import { UnexpectedAnswerError } from './errors.ts';
import { readAnswer } from './read-answer.ts';
import { type Call, createAttempts, nameOf, type TransportOptions } from './transport.ts';

export interface BodyRequest {
  readonly call: Call;
  readonly headers: Readonly<Record<string, string>>;
  /** Media type of the body, without parameters. */
  readonly type: string;
  /** Longest time without a byte, before the response head too. */
  readonly silenceMaxMs: number;
  readonly signal: AbortSignal | undefined;
  readonly onHead?: (headers: Headers) => void;
}

/**
 * The bytes of a body as they come. Rejects as a call does; leaving the loop closes the connection.
 * They are read only when those before them have been consumed.
 */
export type OpenBody = (request: BodyRequest) => AsyncGenerator<Uint8Array, void, void>;

export function createBodyTransport(options: TransportOptions): OpenBody {
  const start = createAttempts(options);

  return async function* open({ call, headers, type, silenceMaxMs, signal, onHead }) {
    const attempt = start(call, signal);
    /** Runs only while bytes are awaited: a slow consumer does not count as silence. */
    async function within<Result>(work: Promise<Result>): Promise<Result> {
      const stopTimer = options.startTimer(silenceMaxMs, attempt.abort);
      return await work.finally(stopTimer);
    }
    try {
      const response = await within(attempt.request({ Accept: type, ...headers }));
      const bytes = bytesOf(response, within);
      if (!response.ok) readAnswer(call, await attempt.readText(response, bytes));
      if (response.status !== 200 || typeOf(response) !== type) {
        throw new UnexpectedAnswerError(`${nameOf(call)}: the response is no ${type}.`);
      }
      onHead?.(response.headers);
      yield* bytes;
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

function typeOf({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}
