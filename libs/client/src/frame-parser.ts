import { createParser } from 'eventsource-parser';
import { UnexpectedAnswerError } from './errors.ts';

/** One complete frame of a stream. */
export interface Frame {
  /** `message` by default. */
  readonly type: string;
  readonly id: string | undefined;
  readonly data: string;
}

export interface FrameParser {
  /**
   * The frames that these bytes complete. Parses slice by slice as the caller iterates, so that
   * buffered frames are bounded.
   */
  take(bytes: Uint8Array): Generator<Frame, void, void>;
}

/** Above every frame of the service; those are smaller than 1 KiB. */
const frameCharsMax = 256 * 1024;
const sliceChars = 16 * 1024;

/** The parser of one connection; UTF-8, line ends and frames may be split anywhere. */
export function createFrameParser(): FrameParser {
  // The parser removes the byte order mark.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let complete: Frame[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: frameCharsMax,
    onEvent: ({ event = 'message', id, data }) => {
      complete.push({ type: event, id, data });
    },
    onError: ({ type }) => {
      isTooLarge ||= type === 'max-buffer-size-exceeded';
    },
  });

  return {
    *take(bytes) {
      const text = decoder.decode(bytes, { stream: true });
      for (let from = 0; from < text.length; from += sliceChars) {
        parser.feed(text.slice(from, from + sliceChars));
        const taken = complete;
        complete = [];
        yield* taken;
        if (isTooLarge) throw new UnexpectedAnswerError('A frame of the stream is too large.');
      }
    },
  };
}
