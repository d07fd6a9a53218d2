import { type AppliedEvents, createAppliedEvents } from './applied-events.ts';
import type { ClientEnvironment } from './client-environment.ts';
import {
  ApiError,
  AuthorizationRevokedError,
  CursorExpiredError,
  InventoryError,
  RecoveryRequiredError,
  UnexpectedAnswerError,
} from './errors.ts';
import type { EventGap } from './event-gap.ts';
import type { PlacedEvent } from './event-records.ts';
import type { Frame } from './frame-parser.ts';
import type { FollowEventsOptions, ListEventsOptions } from './options.ts';
import { eventsPath } from './paths.ts';
import { type FrameMeaning, readFrame } from './read-frame.ts';
import { type ConnectionEnd, reconnectDelayMs } from './reconnect-policy.ts';
import type { OpenStream } from './stream-transport.ts';

export interface FollowDependencies {
  readonly open: OpenStream;
  readonly events: (projectId: string, options: ListEventsOptions) => AsyncIterable<PlacedEvent>;
  readonly environment: ClientEnvironment;
}

const silenceDefaultMs = 45_000;
/** A connection that lasted so long was a good one, though nothing happened on it. */
const soundAfterMs = 10_000;
/** Frames of another shape in a row, without anything applied between, before that is told. */
const unexpectedMax = 5;

/** Connection after connection, each from where the last came to; ends only by an error. */
export async function followEvents(
  dependencies: FollowDependencies,
  projectId: string,
  options: FollowEventsOptions,
): Promise<never> {
  const { nowMs, chance, pause } = dependencies.environment;
  const applied = createAppliedEvents(options, options.lastEventId ?? null);
  let failures = 0;
  let unexpected = 0;
  for (;;) {
    const before = applied.cursor;
    const startMs = nowMs();
    const end = await readConnection(dependencies, projectId, options, applied);
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
  dependencies: FollowDependencies,
  projectId: string,
  { onGap, signal, silenceMaxMs = silenceDefaultMs }: FollowEventsOptions,
  applied: AppliedEvents,
): Promise<ConnectionEnd> {
  signal?.throwIfAborted();
  const path = `${eventsPath(projectId)}/stream`;
  const ask = { path, lastEventId: applied.cursor, silenceMaxMs, signal };
  const frames = dependencies.open(ask);
  try {
    for (;;) {
      const next = await orEnd(nextMeaning(frames, projectId, applied));
      if ('error' in next) return next;
      if (next.kind === 'closing') return { ...next, error: null };
      if (next.kind === 'revoked') throw new AuthorizationRevokedError(next.reason);
      if (next.kind === 'gap') {
        await makeUpFor(next.gap, onGap, applied);
        return await readKept(dependencies, projectId, signal, applied);
      }
      await take(next, applied);
      signal?.throwIfAborted();
    }
  } finally {
    await frames.return();
  }
}

/** The next frame that means something; an end where there is none any more. */
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
  // The first place there is. Later ones restate where the connection goes on from.
  if (meaning.kind === 'checkpoint' && applied.cursor === null) {
    await applied.moveTo(meaning.cursor);
  }
}

async function makeUpFor(
  gap: EventGap,
  onGap: FollowEventsOptions['onGap'],
  applied: AppliedEvents,
): Promise<void> {
  if (onGap === undefined) throw new RecoveryRequiredError(gap);
  await onGap(gap);
  await applied.moveTo(gap.resumeCursor);
}

/** From the list, which tells its end; the next connection goes on from there. */
async function readKept(
  { events }: FollowDependencies,
  projectId: string,
  signal: AbortSignal | undefined,
  applied: AppliedEvents,
): Promise<ConnectionEnd> {
  const kept = events(projectId, { after: applied.cursor, signal })[Symbol.asyncIterator]();
  for (;;) {
    const next = await orEnd(kept.next());
    if ('error' in next) return next;
    if (next.done) return { error: null, reason: 'recovered', retryAfterMs: null };
    await applied.apply(next.value);
    signal?.throwIfAborted();
  }
}

/** What another connection may mend is an end; the rest is thrown. */
async function orEnd<Result>(work: Promise<Result>): Promise<Result | ConnectionEnd> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof InventoryError) || !isPassing(error)) throw error;
    const reason = error instanceof ApiError ? error.code : error.name;
    const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
    return { error, reason, retryAfterMs: seconds === null ? null : seconds * 1_000 };
  }
}

/** An expired cursor of the list is told by the stream again, as a gap. */
function isPassing(error: InventoryError): boolean {
  return (
    error.retryable || error instanceof UnexpectedAnswerError || error instanceof CursorExpiredError
  );
}
