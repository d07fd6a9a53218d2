import type { ServerResponse } from 'node:http';
import { streamHeaders } from '@inventory/contracts/http/events';
import { projectPath } from '@inventory/contracts/http/parameters';
import { streamFrames } from '@inventory/contracts/http/stream-frames';
import type { ProjectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { type Clock, isoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { AdmittedRequest } from '../http/answer.ts';
import { completedEvent, exampleCursor } from '../http/openapi/examples.ts';
import { requireEvents, requireOwnProject } from '../http/project-access.ts';
import { publicRoute } from '../http/public-route.ts';
import { type ClosingReason, checkpointFrame, eventFrame } from './event-frame.domain.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import type { EventStream, EventStreams } from './event-streams.ts';
import { openStream, type StreamStart } from './open-stream.ts';
import type { PositionCursors } from './position-cursor.ts';
import type { ProjectHubs } from './project-hubs.ts';
import { openStreamConnection, type StreamConnection } from './stream-connection.ts';
import type { StreamPosition } from './stream-position.domain.ts';
import type { Seat, StreamSeats } from './stream-seats.ts';
import { type SessionDeps, StreamSession } from './stream-session.ts';

export interface StreamEventsDeps {
  readonly hubs: ProjectHubs;
  readonly streams: EventStreams;
  /** Called with each stream once it is among `streams`. */
  readonly onOpened: (stream: EventStream) => void;
  readonly seats: StreamSeats;
  readonly perProjectMax: number;
  readonly log: EventStreamClient;
  readonly cursors: PositionCursors;
  readonly sealPosition: (projectId: ProjectId, place: StreamPosition) => string;
  readonly replays: SessionDeps['replays'];
  readonly pauseAfterFailure: SessionDeps['pauseAfterFailure'];
  readonly clock: Clock;
  readonly logger: Logger;
}

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
} as const;
const retryAfterSeconds = 5;

/** GET …/events/stream: every refusal is sent before the stream is open. */
export const streamEventsRoute = publicRoute({
  operationId: 'streamEvents',
  tag: 'Events',
  summary: 'Event stream',
  description:
    'Server-sent events of one Project. The first frame is a `checkpoint` whose id is where the ' +
    'connection continues from: the current head, or the cursor given in `Last-Event-ID`. Every ' +
    'event after it follows once and in order. Store the id of an event after it was applied; ' +
    'reconnect with it after `stream.closing` and after every end without a frame.',
  method: 'GET',
  template: '/v2/projects/{project_id}/events/stream',
  permission: 'customer.events.read.v1',
  types: ['text/event-stream'],
  hasEventsOrigin: true,
  input: { path: projectPath, header: streamHeaders },
  answer: {
    status: 200,
    description: 'Frames until either side ends the connection.',
    body: { text: 'text/event-stream', frames: streamFrames },
    example:
      checkpointFrame(exampleCursor, completedEvent.occurred_at) +
      eventFrame(exampleCursor, completedEvent),
  },
  errors: ['project_not_found', 'invalid_cursor', 'stream_limit_exceeded'],
  async handle(deps: StreamEventsDeps, { path, header }, request) {
    const projectId = path.project_id;
    const { principal } = request;
    requireOwnProject(principal, projectId);
    requireEvents(principal);
    const cursor = header['Last-Event-ID'] || null;
    const place = cursor === null ? null : deps.cursors.open(projectId, cursor);
    if (deps.streams.draining) throw unavailable();
    const start = await openStream(deps, projectId, place);
    // A given cursor is returned as it is, not as another text of its position.
    const checkpoint = cursor ?? deps.sealPosition(projectId, start.place);
    const seat = await acquireSeat(deps, request);
    return {
      status: 200,
      stream: (response) => follow(deps, request, { ...start, checkpoint, seat }, response),
    };
  },
});

async function acquireSeat(
  { seats, perProjectMax }: StreamEventsDeps,
  { principal }: AdmittedRequest,
): Promise<Seat> {
  const acquired = await seats.acquire(principal.projectId);
  if (acquired === 'unavailable') throw unavailable();
  if (acquired !== 'project_full') return acquired;
  throw new Refused({
    code: 'stream_limit_exceeded',
    detail: { limit: perProjectMax },
    retry_after_seconds: retryAfterSeconds,
  });
}

function unavailable(): Refused {
  return new Refused({ code: 'service_unavailable', retry_after_seconds: retryAfterSeconds });
}

interface AdmittedStream extends StreamStart {
  /** Cursor of the first frame. */
  readonly checkpoint: string;
  readonly seat: Seat;
}

async function follow(
  deps: StreamEventsDeps,
  request: AdmittedRequest,
  { hub, place, recovery, checkpoint, seat }: AdmittedStream,
  response: ServerResponse,
): Promise<void> {
  const connection = await openStreamConnection(response, headers);
  if (!connection) {
    seat.release();
    return;
  }
  const close = (reason: ClosingReason) => deps.streams.close(stream, reason);
  const session = new StreamSession(deps, { hub, place, sink: connection, close });
  const stream = new FollowedStream(request, session, connection);
  const removeStream = deps.streams.add(stream);
  deps.onOpened(stream);
  connection.onDrained(() => session.drained());
  connection.onClosed(() => {
    session.detach();
    removeStream();
    seat.release();
  });
  session.write(checkpointFrame(checkpoint, isoTime(place.asOfMs)));
  if (recovery === null) session.sendPending();
  else session.end(recovery);
  seat.onLost(() => close('unavailable'));
}

/**
 * There are thousands of these: methods are in the class, and of the request only needed fields are
 * kept.
 */
class FollowedStream implements EventStream {
  readonly accountId: EventStream['accountId'];
  readonly secretDigest: string;
  readonly clientAddress: string;
  readonly #session: StreamSession;
  readonly #connection: StreamConnection;

  constructor(
    { principal, secretDigest, clientAddress }: AdmittedRequest,
    session: StreamSession,
    connection: StreamConnection,
  ) {
    this.accountId = principal.accountId;
    this.secretDigest = secretDigest;
    this.clientAddress = clientAddress;
    this.#session = session;
    this.#connection = connection;
  }

  get remote(): string {
    return this.#connection.remote;
  }

  get queued(): number {
    return this.#connection.queued;
  }

  get taken(): number {
    return this.#connection.taken;
  }

  heartbeat(): void {
    this.#session.heartbeat();
  }

  takeWritten(): boolean {
    return this.#session.takeWritten();
  }

  end(lastFrame: string): void {
    this.#session.end(lastFrame);
  }

  destroy(): void {
    this.#connection.cut();
  }
}
