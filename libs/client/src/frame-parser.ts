import { createParser } from 'eventsource-parser';
import { UnexpectedAnswerError } from './errors.ts';

/** One whole frame of a stream; what is unfinished at the end is none. */
export interface Frame {
  /** `message` where none is named. */
  readonly type: string;
  readonly id: string | undefined;
  readonly data: string;
}

export interface FrameParser {
  /**
   * The frames that these bytes complete. No more is parsed than is asked for, a slice at a time,
   * so that what waits is bounded.
   */
  take(bytes: Uint8Array): Generator<Frame, void, void>;
}

/** Above every frame of the service, which are less than 1 KiB. */
const frameCharsMax = 256 * 1024;
const sliceChars = 16 * 1024;

/** Of one connection: UTF-8, line ends and frames may be split anywhere. */
export function createFrameParser(): FrameParser {
  // The mark at the start is the parser's to drop, once.
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
