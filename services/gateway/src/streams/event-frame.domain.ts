import type { RecoveryReason } from './stream-position.domain.ts';

/** Reason for which a stream ends and the client may reconnect. */
export type ClosingReason = 'draining' | 'slow_consumer' | 'max_age' | 'unavailable';

/** Reason for which a stream ends and the client must not reconnect. */
export type RevocationReason =
  | 'credential_revoked'
  | 'credential_expired'
  | 'owner_suspended'
  | 'permission_removed'
  | 'network_policy'
  | 'events_not_enabled';

interface RecoveryNotice {
  readonly reason: RecoveryReason;
  /** ISO 8601; null while the log is empty. */
  readonly earliest_as_of: string | null;
  readonly resume_cursor: string;
}

/** A comment that keeps the connection alive. */
export const heartbeatFrame = ':\n\n';

/**
 * Its id is the position from which this connection continues: the first frame, and later ones where events
 * were left out.
 */
export function checkpointFrame(cursor: string, asOf: string): string {
  return frame('checkpoint', JSON.stringify({ as_of: asOf }), { id: cursor });
}

/** An event as it was written; its type is that of the frame. */
export function eventFrame(
  cursor: string,
  { type, json }: { readonly type: string; readonly json: string },
): string {
  return frame(type, json, { id: cursor });
}

/** `retry:` states the delay for clients without support for control frames. */
export function closingFrame(reason: ClosingReason, retryAfterMs: number): string {
  return frame('stream.closing', JSON.stringify({ reason, retry_after_ms: retryAfterMs }), {
    retry: String(retryAfterMs),
  });
}

export const retryAfterMinMs = 1_000;

/** The longest delay of `stream.closing`: it is spread, so that clients do not reconnect at the same time. */
export function retryAfterMaxMs(reason: ClosingReason, drainMs: number): number {
  const mostMs: Record<ClosingReason, number> = {
    draining: Math.min(60_000, 2 * drainMs),
    slow_consumer: 15_000,
    max_age: 5_000,
    unavailable: 15_000,
  };
  return Math.max(retryAfterMinMs, mostMs[reason]);
}

export function recoveryFrame(notice: RecoveryNotice): string {
  return frame('stream.recovery_required', JSON.stringify(notice));
}

export function revokedFrame(reason: RevocationReason): string {
  return frame('stream.authorization_revoked', JSON.stringify({ reason }));
}

/** Each frame begins with it. */
const eventField = 'event: ';

/** Control frames have no `id`: an empty one would reset the last event id of the client. */
function frame(
  event: string,
  json: string,
  fields: { readonly id?: string; readonly retry?: string } = {},
): string {
  const lines = [
    `${eventField}${event}`,
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    `data: ${json}`,
  ];
  if (lines.some((line) => /[\r\n\0]/.test(line))) {
    throw new RangeError('a line break in a field would make it two');
  }
  return `${lines.join('\n')}\n\n`;
}

/*
 * HTTP's chunked coding (RFC 9112, 7.1) of a stream. A frame is a chunk of its own where it is shared
 * by connections, so that any number of them in a row is one write without a copy.
 */

/** Ends a body of chunks. */
export const lastChunk = '0\r\n\r\n';

const lineEnd = '\r\n';

/** A chunk with this text, which is not empty. */
export function chunkOf(text: string): Buffer {
  return Buffer.from(Buffer.byteLength(text).toString(16) + lineEnd + text + lineEnd);
}

interface ChunkPlace {
  readonly from: number;
  /** Of its content. */
  readonly start: number;
  readonly end: number;
  readonly to: number;
}

function* placesOf(chunks: Buffer): Generator<ChunkPlace, void, void> {
  for (let from = 0; from < chunks.length; ) {
    const start = chunks.indexOf(lineEnd, from) + lineEnd.length;
    const end = start + Number.parseInt(chunks.toString('latin1', from, start), 16);
    const to = end + lineEnd.length;
    yield { from, start, end, to };
    from = to;
  }
}

/** What whole chunks carry, for a client of HTTP/1.0. */
export function contentOfChunks(chunks: Buffer): Buffer {
  return Buffer.concat([...placesOf(chunks)].map(({ start, end }) => chunks.subarray(start, end)));
}

/** Of chunks with a frame each, those with an event of one of these types; empty where there is none. */
export function chunksOfTypes(chunks: Buffer, types: ReadonlySet<string>): Buffer {
  const wanted = [...placesOf(chunks)].filter(({ start }) => {
    const typeAt = start + eventField.length;
    return types.has(chunks.toString('utf8', typeAt, chunks.indexOf('\n', typeAt)));
  });
  return Buffer.concat(wanted.map(({ from, to }) => chunks.subarray(from, to)));
}
