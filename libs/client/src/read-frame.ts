import { UnexpectedAnswerError } from './errors.ts';
import type { EventGap } from './event-gap.ts';
import type { PlacedEvent, ProjectEvent } from './event-records.ts';
import { type Fields, isFields, textIn } from './fields.ts';
import type { Frame } from './frame-parser.ts';
import { isCursor } from './paths.ts';

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
