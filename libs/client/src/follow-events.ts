import type { ClientEnvironment } from './client-environment.ts';
import {
  ApiError,
  AuthorizationRevokedError,
  CursorExpiredError,
  InventoryError,
  RecoveryRequiredError,
  UnexpectedAnswerError,
} from './errors.ts';
import type { EventGap, PlacedEvent } from './event-records.ts';
import type { FollowEventsOptions, ListEventsOptions } from './options.ts';
import { eventsPath, withQuery } from './paths.ts';
import { type ConnectionEnd, reconnectDelayMs } from './retry-policy.ts';
import { type Frame, type FrameMeaning, type OpenStream, readFrame } from './stream-frames.ts';

export interface FollowEventsDeps {
  readonly open: OpenStream;
  readonly events: (projectId: string, options: ListEventsOptions) => AsyncIterable<PlacedEvent>;
  readonly environment: ClientEnvironment;
}

const silenceDefaultMs = 45_000;
/** A connection that lasted this long counts as successful, even without a frame. */
const soundAfterMs = 10_000;
/** Invalid frames in a row, without an applied event in between, before they are an error. */
const unexpectedMax = 5;

/** Reads connection after connection, each from the position of the last; ends only by an error. */
export async function followEvents(
  deps: FollowEventsDeps,
  projectId: string,
  options: FollowEventsOptions,
): Promise<never> {
  const { nowMs, chance, pause } = deps.environment;
  const applied = createAppliedEvents(options);
  let failures = 0;
  let unexpected = 0;
  for (;;) {
    const before = applied.cursor;
    const startMs = nowMs();
    const end = await readConnection(deps, projectId, options, applied);
    const isMoved = applied.cursor !== before;
    const isSound = isMoved || end.retryAfterMs !== null || nowMs() - startMs >= soundAfterMs;
    failures = isSound ? 1 : failures + 1;
    unexpected = end.error instanceof UnexpectedAnswerError && !isMoved ? unexpected + 1 : 0;
    if (end.error && unexpected >= unexpectedMax) throw end.error;
    const retryInMs = reconnectDelayMs({ end, failures, chance: chance() });
    options.onInterruption?.({ reason: end.reason, retryInMs });
    await pause(retryInMs, options.signal);
  }
}

async function readConnection(
  deps: FollowEventsDeps,
  projectId: string,
  { types, onGap, signal, silenceMaxMs = silenceDefaultMs }: FollowEventsOptions,
  applied: AppliedEvents,
): Promise<ConnectionEnd> {
  signal?.throwIfAborted();
  const path = withQuery(`${eventsPath(projectId)}/stream`, { types });
  const request = { path, lastEventId: applied.cursor, silenceMaxMs, signal };
  const frames = deps.open(request);
  try {
    for (;;) {
      const next = await orEnd(nextMeaning(frames, projectId, applied));
      if ('error' in next) return next;
      if (next.kind === 'closing') return { ...next, error: null };
      if (next.kind === 'revoked') throw new AuthorizationRevokedError(next.reason);
      if (next.kind === 'gap') {
        await recoverGap(next.gap, onGap, applied);
        return await readStored(deps, projectId, { types, signal }, applied);
      }
      await take(next, applied);
      signal?.throwIfAborted();
    }
  } finally {
    await frames.return();
  }
}

/** The meaning of the next frame, or the end of the connection. */
async function nextMeaning(
  frames: AsyncGenerator<Frame, void, void>,
  projectId: string,
  { cursor }: AppliedEvents,
): Promise<FrameMeaning | ConnectionEnd> {
  const { done, value } = await frames.next();
  if (done) return { error: null, reason: 'ended', retryAfterMs: null };
  return readFrame(value, projectId, cursor);
}

async function take(meaning: FrameMeaning, applied: AppliedEvents): Promise<void> {
  if (meaning.kind === 'event') await applied.apply(meaning);
  // The first position, or one after events of other types; else it repeats where the connection continues.
  if (meaning.kind === 'checkpoint' && applied.cursor !== meaning.cursor) {
    await applied.moveTo(meaning.cursor);
  }
}

async function recoverGap(
  gap: EventGap,
  onGap: FollowEventsOptions['onGap'],
  applied: AppliedEvents,
): Promise<void> {
  if (onGap === undefined) throw new RecoveryRequiredError(gap);
  await onGap(gap);
  await applied.moveTo(gap.resumeCursor);
}

/** Applies the stored events from the list, which has an end; the next connection continues there. */
async function readStored(
  { events }: FollowEventsDeps,
  projectId: string,
  options: Pick<FollowEventsOptions, 'types' | 'signal'>,
  applied: AppliedEvents,
): Promise<ConnectionEnd> {
  const stored = events(projectId, { ...options, after: applied.cursor })[Symbol.asyncIterator]();
  for (;;) {
    const next = await orEnd(stored.next());
    if ('error' in next) return next;
    if (next.done) return { error: null, reason: 'recovered', retryAfterMs: null };
    await applied.apply(next.value);
    options.signal?.throwIfAborted();
  }
}

/** Turns transient errors into the end of the connection; others are thrown. */
async function orEnd<Result>(work: Promise<Result>): Promise<Result | ConnectionEnd> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof InventoryError) || !isTransient(error)) throw error;
    const reason = error instanceof ApiError ? error.code : error.name;
    const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
    return { error, reason, retryAfterMs: seconds === null ? null : seconds * 1_000 };
  }
}

/** After an expired cursor of the list the stream reports a gap. */
function isTransient(error: InventoryError): boolean {
  return (
    error.retryable || error instanceof UnexpectedAnswerError || error instanceof CursorExpiredError
  );
}

/** The reader's position, and the events that it has applied. */
interface AppliedEvents {
  /** Where to continue; null before the first checkpoint. */
  readonly cursor: string | null;
  /** Applies the event unless it was applied before, then moves to its cursor. */
  apply(placed: PlacedEvent): Promise<void>;
  moveTo(cursor: string): Promise<void>;
}

/** After a gap events may be redelivered; beyond this number they are applied again. */
const rememberedMax = 10_000;

function createAppliedEvents(options: FollowEventsOptions): AppliedEvents {
  const { onEvent, onProgress, lastEventId = null } = options;
  const remembered = new Set<string>();
  let current = lastEventId;

  function remember(id: string): void {
    remembered.add(id);
    if (remembered.size <= rememberedMax) return;
    const [oldest = id] = remembered;
    remembered.delete(oldest);
  }

  async function moveTo(cursor: string): Promise<void> {
    // After a crash between the two callbacks the event is redelivered; the other order would lose it.
    current = cursor;
    await onProgress?.(cursor);
  }

  return {
    get cursor() {
      return current;
    },
    moveTo,
    async apply({ event, cursor }) {
      if (!remembered.has(event.id)) await onEvent(event, cursor);
      remember(event.id);
      await moveTo(cursor);
    },
  };
}
