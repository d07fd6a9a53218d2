import { createBodyTransport } from './body-transport.ts';
import { createFrameParser, type Frame } from './stream-frames.ts';
import type { TransportOptions } from './transport.ts';

export interface StreamRequest {
  /** Relative to the base address. */
  readonly path: string;
  readonly lastEventId: string | null;
  /** Longest time without a byte, before the response head too. */
  readonly silenceMaxMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The frames of one connection until it ends, as its bytes are read. */
export type OpenStream = (request: StreamRequest) => AsyncGenerator<Frame, void, void>;

export function createStreamTransport(options: TransportOptions): OpenStream {
  const openBody = createBodyTransport(options);

  return async function* open({ path, lastEventId, silenceMaxMs, signal }) {
    const position = lastEventId === null ? {} : { 'Last-Event-ID': lastEventId };
    const headers = { 'Cache-Control': 'no-cache', ...position };
    const call = { method: 'GET', path } as const;
    const type = 'text/event-stream';
    const parser = createFrameParser();
    for await (const chunk of openBody({ call, headers, type, silenceMaxMs, signal })) {
      yield* parser.take(chunk);
    }
  };
}
