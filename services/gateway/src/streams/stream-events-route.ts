import type { ServerResponse } from 'node:http';
import { streamHeaders, streamQuery } from '@inventory/contracts/http/events';
import { projectPath } from '@inventory/contracts/http/parameters';
import { streamFrames } from '@inventory/contracts/http/stream-frames';
import { Refused } from '@inventory/http/refused';
import { isoTime } from '@inventory/runtime/clock';
import { requireEvents } from '../http/authorize.ts';
import { completedEvent, exampleCursor } from '../http/openapi/examples.ts';
import type { AdmittedRequest } from '../http/public-response.ts';
import { publicRoute } from '../http/public-route.ts';
import { checkpointFrame, eventFrame } from './event-frame.domain.ts';
import type { StreamServices } from './open-event-streams.ts';
import { openStream, type StreamStart } from './open-stream.ts';
import { openStreamConnection } from './stream-connection.ts';
import { StreamSession } from './stream-session.ts';
import type { StreamSlot } from './stream-slots.ts';

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
    'reconnect with it after `stream.closing` and after every end without a frame. A comment is a ' +
    'heartbeat. With `types` only events of these are sent, and instead of a heartbeat a `checkpoint` ' +
    'where others have passed. The schema `StreamFrame` has each frame, its `data` parsed.',
  method: 'GET',
  template: '/v2/projects/{project_id}/events/stream',
  permission: 'customer.events.read.v1',
  types: ['text/event-stream'],
  hasEventsOrigin: true,
  isLong: true,
  input: { path: projectPath, query: streamQuery, header: streamHeaders },
  response: {
    status: 200,
    description: 'Frames until either side ends the connection.',
    body: { text: 'text/event-stream', frames: streamFrames },
    example:
      checkpointFrame(exampleCursor, completedEvent.occurred_at) +
      eventFrame(exampleCursor, {
        type: completedEvent.type,
        json: JSON.stringify(completedEvent),
      }),
  },
  errors: ['invalid_cursor', 'stream_limit_exceeded'],
  async handle(services: StreamServices, { path, query, header }, request) {
    const projectId = path.projectId;
    requireEvents(request.principal);
    const cursor = header['Last-Event-ID'] || null;
    const at = cursor === null ? null : services.cursors.open(projectId, cursor);
    if (services.streams.draining) throw unavailable();
    const start = await openStream(services, projectId, at);
    // A given cursor is returned as it is, not as another text of its position.
    const checkpoint = cursor ?? services.session.sealPosition(projectId, start.after);
    const types = query.types.length > 0 ? new Set<string>(query.types) : null;
    const slot = await acquireSlot(services, request);
    return {
      status: 200,
      stream: (response) =>
        follow(services, request, { ...start, types, checkpoint, slot }, response),
    };
  },
});

async function acquireSlot(
  { slots, limits }: StreamServices,
  { principal }: AdmittedRequest,
): Promise<StreamSlot> {
  const acquired = await slots.acquire(principal.projectId);
  if (acquired === 'unavailable') throw unavailable();
  if (acquired !== 'project_full') return acquired;
  throw new Refused({
    code: 'stream_limit_exceeded',
    detail: { limit: limits.perProjectMax },
    retry_after_seconds: retryAfterSeconds,
  });
}

function unavailable(): Refused {
  return new Refused({ code: 'service_unavailable', retry_after_seconds: retryAfterSeconds });
}

interface AdmittedStream extends StreamStart {
  /** Cursor of the first frame. */
  readonly checkpoint: string;
  readonly types: ReadonlySet<string> | null;
  readonly slot: StreamSlot;
}

async function follow(
  { session: context, streams, watch }: StreamServices,
  request: AdmittedRequest,
  { hub, after, recovery, types, checkpoint, slot }: AdmittedStream,
  response: ServerResponse,
): Promise<void> {
  const connection = await openStreamConnection(response, headers);
  if (!connection) {
    slot.release();
    return;
  }
  const { principal, secretDigest, clientAddress } = request;
  const session = new StreamSession(context, {
    reader: { accountId: principal.accountId, secretDigest, clientAddress },
    hub,
    after,
    types,
    connection,
  });
  const [remove, unwatch] = [streams.add(session), watch(session)];
  connection.onDrained(() => session.drained());
  connection.onClosed(() => {
    session.detach();
    remove();
    unwatch();
    slot.release();
  });
  session.write(checkpointFrame(checkpoint, isoTime(after.asOfMs)));
  if (recovery === null) session.sendPending();
  else session.end(recovery);
  slot.onLost(() => session.close('unavailable'));
}
