import { UnexpectedAnswerError } from './errors.ts';
import type { EventGap } from './event-gap.ts';
import type { PlacedEvent, ProjectEvent } from './event-records.ts';
import type { Frame } from './frame-parser.ts';
import { isCursor } from './paths.ts';

/** What a frame means to its reader. */
export type FrameMeaning =
  | { readonly kind: 'checkpoint'; readonly cursor: string }
  | ({ readonly kind: 'event' } & PlacedEvent)
  | { readonly kind: 'closing'; readonly reason: string; readonly retryAfterMs: number | null }
  | { readonly kind: 'gap'; readonly gap: EventGap }
  | { readonly kind: 'revoked'; readonly reason: string }
  /** A control frame that was added since. */
  | { readonly kind: 'unknown' };

type Fields = Readonly<Record<string, unknown>>;

const retryAfterMaxMs = 60_000;

/** Rejects what the service does not send: progress is made over valid events alone. */
export function readFrame(frame: Frame, projectId: string, lastCursor: string | null) {
  const fields = fieldsOf(frame);
  return frame.type === 'checkpoint' || frame.type.startsWith('stream.')
    ? controlOf(frame, fields, lastCursor)
    : eventOf(frame, fields, projectId);
}

function controlOf(frame: Frame, fields: Fields, lastCursor: string | null): FrameMeaning {
  const reason = textIn(fields, 'reason') ?? frame.type;
  switch (frame.type) {
    case 'checkpoint':
      return { kind: 'checkpoint', cursor: cursorOf(frame, frame.id) };
    case 'stream.closing':
      return { kind: 'closing', reason, retryAfterMs: waitIn(fields['retry_after_ms']) };
    case 'stream.recovery_required': {
      const resumeCursor = cursorOf(frame, fields['resume_cursor']);
      const earliestAsOf = textIn(fields, 'earliest_as_of');
      return { kind: 'gap', gap: { reason, lastCursor, earliestAsOf, resumeCursor } };
    }
    case 'stream.authorization_revoked':
      return { kind: 'revoked', reason };
    default:
      return { kind: 'unknown' };
  }
}

function eventOf(frame: Frame, fields: Fields, projectId: string): FrameMeaning {
  const isEvent =
    textIn(fields, 'id')?.startsWith('evt_') === true &&
    fields['type'] === frame.type &&
    Number.isSafeInteger(fields['version']) &&
    textIn(fields, 'occurred_at') !== null &&
    fields['project_id'] === projectId &&
    typeof fields['data'] === 'object' &&
    fields['data'] !== null;
  if (!isEvent) throw unexpected(frame);
  const event = fields as unknown as ProjectEvent;
  return { kind: 'event', event, cursor: cursorOf(frame, frame.id) };
}

function fieldsOf(frame: Frame): Fields {
  try {
    const parsed: unknown = JSON.parse(frame.data);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Fields;
  } catch {
    // Said below.
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

function textIn(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

function unexpected({ type }: Frame): UnexpectedAnswerError {
  return new UnexpectedAnswerError(`A frame ${type.slice(0, 80)} of the stream has another shape.`);
}
