import { createParser } from 'eventsource-parser';
import { type Api, CallFailed, type Failure } from './call-api.ts';
import { type Operations, streamPath } from './operations.ts';
import type { ProjectEvent } from './wire-types.ts';

/** What is known of the connection. `ended`: the service refuses it, and it is not retried. */
export interface StreamState {
  readonly state: 'connecting' | 'live' | 'reconnecting' | 'ended';
  readonly sinceMs: number;
  /** Why it is not live. */
  readonly reason: string | null;
  readonly failure: Failure | null;
}

interface Following {
  readonly api: Api;
  readonly operations: Pick<Operations, 'events'>;
  readonly project: string;
  readonly signal: AbortSignal;
  readonly onState: (state: StreamState) => void;
  /** Each event once, in the order of the log. */
  readonly onEvent: (event: ProjectEvent) => void;
}

/** Longest time without a byte: the service sends a comment every 15 s. */
const silenceMaxMs = 45_000;
const backoffFirstMs = 500;
const backoffMaxMs = 30_000;
const frameCharsMax = 256 * 1024;

/** How one connection ended: with a delay that the service has asked for, or refused for good. */
interface End {
  readonly reason: string;
  readonly retryAfterMs: number | null;
  readonly failure: Failure | null;
  readonly isFinal: boolean;
}

interface Position {
  cursor: string | undefined;
  readonly applied: Set<string>;
}

/**
 * Reads the stream connection after connection, each from the cursor of the last event applied, until
 * the signal is aborted or the service refuses the key. `EventSource` sends no `X-API-Key`, so this
 * reads a response.
 */
export async function streamEvents(following: Following): Promise<void> {
  const { api, signal, onState } = following;
  const { nowMs, chance, pause } = api.environment;
  const position: Position = { cursor: undefined, applied: new Set() };
  let lostAtMs = nowMs();
  const report = (state: StreamState['state'], end: End | null = null) =>
    onState({
      state,
      sinceMs: lostAtMs,
      reason: end?.reason ?? null,
      failure: end?.failure ?? null,
    });
  report('connecting');
  for (let failures = 0; !signal.aborted; ) {
    let wasLive = false;
    const end = await readConnection(following, position, () => {
      wasLive = true;
      lostAtMs = nowMs();
      report('live');
    });
    if (signal.aborted) return;
    if (wasLive) lostAtMs = nowMs();
    failures = wasLive ? 0 : failures + 1;
    report(end.isFinal ? 'ended' : 'reconnecting', end);
    if (end.isFinal) return;
    await pause(end.retryAfterMs ?? backoffMs(failures, chance()), signal);
  }
}

/** Full jitter, so that pages that were cut together do not return together. */
export function backoffMs(failures: number, chance: number): number {
  return Math.min(backoffMaxMs, backoffFirstMs * 2 ** failures) * (0.5 + chance / 2);
}

async function readConnection(
  following: Following,
  position: Position,
  onLive: () => void,
): Promise<End> {
  const silence = new AbortController();
  const signal = AbortSignal.any([following.signal, silence.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMaxMs);
  };
  try {
    const response = await following.api.open({
      path: streamPath(following.project),
      accept: 'text/event-stream',
      signal,
      ...(position.cursor !== undefined && { lastEventId: position.cursor }),
    });
    heard();
    return await readFrames(response, following, position, { onLive, heard });
  } catch (error) {
    return endOf(error, silence.signal.aborted ? 'silent' : 'cut');
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

async function readFrames(
  response: Response,
  following: Following,
  position: Position,
  { onLive, heard }: { onLive: () => void; heard: () => void },
): Promise<End> {
  const frames: { type: string; id: string | undefined; data: string }[] = [];
  const parser = createParser({
    maxBufferSize: frameCharsMax,
    onEvent: ({ event = 'message', id, data }) => void frames.push({ type: event, id, data }),
  });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) return lost('cut');
    heard();
    parser.feed(decoder.decode(chunk.value, { stream: true }));
    for (const { type, id, data } of frames.splice(0)) {
      const fields = JSON.parse(data);
      switch (type) {
        case 'checkpoint':
          position.cursor = id;
          onLive();
          break;
        case 'stream.closing':
          return { ...lost(fields.reason), retryAfterMs: Number(fields.retry_after_ms) };
        case 'stream.authorization_revoked':
          return { ...lost(fields.reason), isFinal: true };
        case 'stream.recovery_required':
          position.cursor = fields.resume_cursor;
          await readStored(following, position);
          return { ...lost(fields.reason), retryAfterMs: 0 };
        default:
          apply(fields, following, position);
          position.cursor = id;
      }
    }
  }
}

/** The events after the cursor that are still kept, from the list. */
async function readStored(following: Following, position: Position): Promise<void> {
  const { operations, signal } = following;
  for (let hasMore = true; hasMore; ) {
    const { data } = await operations.events(position.cursor, signal);
    for (const { event, cursor } of data.items) {
      apply(event, following, position);
      position.cursor = cursor;
    }
    hasMore = data.pagination.has_more;
  }
}

/** A reconnection may repeat an event. */
function apply(event: ProjectEvent, { onEvent }: Following, { applied }: Position): void {
  if (applied.has(event.id)) return;
  applied.add(event.id);
  onEvent(event);
}

const lost = (reason: string): End => ({
  reason,
  retryAfterMs: null,
  failure: null,
  isFinal: false,
});

function endOf(error: unknown, reason: string): End {
  if (!(error instanceof CallFailed) || error.failure.kind !== 'refused') return lost(reason);
  const { failure } = error;
  const isFinal = [401, 403, 404, 406, 422].includes(failure.status);
  const seconds = failure.retryAfterSeconds;
  return {
    reason: failure.code,
    retryAfterMs: seconds === null ? null : seconds * 1_000,
    failure,
    isFinal,
  };
}
