import { createParser } from 'eventsource-parser';
import { createBodyTransport } from './body-transport.ts';
import { UnexpectedAnswerError } from './errors.ts';
import type { EventGap, PlacedEvent, ProjectEvent } from './event-records.ts';
import { isCursor } from './paths.ts';
import { type Fields, isFields, textIn } from './read-answer.ts';
import type { TransportOptions } from './transport.ts';

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

/** The meaning of a frame. */
export type FrameMeaning =
  | { readonly kind: 'checkpoint'; readonly cursor: string }
  | ({ readonly kind: 'event' } & PlacedEvent)
  | { readonly kind: 'closing'; readonly reason: string; readonly retryAfterMs: number | null }
  | { readonly kind: 'gap'; readonly gap: EventGap }
  | { readonly kind: 'revoked'; readonly reason: string }
  /** A control frame of a later version. */
  | { readonly kind: 'unknown' };

const retryAfterMaxMs = 60_000;

/** Throws for an invalid frame: the position advances over valid events only. */
export function readFrame(frame: Frame, projectId: string, lastCursor: string | null) {
  const fields = fieldsOf(frame);
  return frame.type === 'checkpoint' || frame.type.startsWith('stream.')
    ? controlOf(frame, fields, lastCursor)
    : eventOf(frame, fields, projectId);
}

function controlOf(frame: Frame, fields: Fields, lastCursor: string | null): FrameMeaning {
  const reason = textIn(fields['reason']) ?? frame.type;
  switch (frame.type) {
    case 'checkpoint':
      return { kind: 'checkpoint', cursor: cursorOf(frame, frame.id) };
    case 'stream.closing':
      return { kind: 'closing', reason, retryAfterMs: waitIn(fields['retry_after_ms']) };
    case 'stream.recovery_required': {
      const resumeCursor = cursorOf(frame, fields['resume_cursor']);
      const earliestAsOf = textIn(fields['earliest_as_of']);
      return { kind: 'gap', gap: { reason, lastCursor, earliestAsOf, resumeCursor } };
    }
    case 'stream.authorization_revoked':
      return { kind: 'revoked', reason };
    default:
      return { kind: 'unknown' };
  }
}

function eventOf(frame: Frame, fields: Fields, projectId: string): FrameMeaning {
  if (fields['type'] !== frame.type || fields['project_id'] !== projectId || !isEvent(fields)) {
    throw unexpected(frame);
  }
  return { kind: 'event', event: fields, cursor: cursorOf(frame, frame.id) };
}

/** The fields that all types of events share; a type that is added later passes. */
function isEvent(fields: Fields): fields is ProjectEvent {
  return (
    textIn(fields['id'])?.startsWith('evt_') === true &&
    Number.isSafeInteger(fields['version']) &&
    textIn(fields['occurred_at']) !== null &&
    isFields(fields['data'])
  );
}

function fieldsOf(frame: Frame): Fields {
  try {
    const parsed: unknown = JSON.parse(frame.data);
    if (isFields(parsed)) return parsed;
  } catch {
    // Thrown below.
  }
  throw unexpected(frame);
}

function cursorOf(frame: Frame, cursor: unknown): string {
  if (!isCursor(cursor)) throw unexpected(frame);
  return cursor;
}

function waitIn(value: unknown): number | null {
  if (typeof value !== 'number' || !(value >= 0)) return null;
  return Math.min(value, retryAfterMaxMs);
}

function unexpected({ type }: Frame): UnexpectedAnswerError {
  return new UnexpectedAnswerError(
    `A frame ${type.slice(0, 80)} of the stream has an unexpected shape.`,
  );
}
