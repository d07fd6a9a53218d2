import { z } from 'zod';
import { projectPath } from '../http/parameters.ts';
import { eventTypeName, projectEvent, projectEventType } from '../http/project-event.ts';
import { accountId, eventId, projectId, refreshId } from '../ids.ts';
import { time, wire } from '../wire.ts';
import { operationsFor } from './operations.ts';

/**
 * An event of any type, also of one that a later version adds, as the JSON that its author has
 * written. Log, notification, stream and webhook carry this text, which is not written again; beside
 * it is what they read of an event.
 */
export const eventText = wire({
  id: eventId,
  type: eventTypeName,
  occurredAtMs: time,
  /** The refresh whose event it is. */
  refreshId: refreshId.nullable(),
  /** On one line. */
  json: z.string().regex(/^\{[^\r\n]*\}$/),
});
export type EventText = z.output<typeof eventText>;

/** Writes the JSON of an event, once for all readers. */
export function writeEvent<Event extends z.output<typeof projectEvent>>(
  event: Event,
): EventText & { readonly type: Event['type'] } {
  const { id, type, occurredAtMs } = event;
  const refreshId = event.type === 'inventory.refresh.completed' ? event.data.refreshId : null;
  return { id, type, occurredAtMs, refreshId, json: JSON.stringify(z.encode(projectEvent, event)) };
}

/** Most Projects of one request for heads. */
export const logHeadsMax = 1_000;
/** Most entries of one batch of a log. */
export const logBatchMax = 500;

/** Body of POST /logs/heads of the event-stream. */
const logHeadsQuery = wire({ projectIds: z.array(projectId).max(logHeadsMax) });

/** The end of a Project's log; position 0 for an empty one. */
const logHead = wire({ projectId, position: z.int().min(0) });
const headsFields = { logEpoch: z.int().min(1), heads: z.array(logHead) };
export const logHeads = wire(headsFields);
export type LogHeads = z.output<typeof logHeads>;

/** Most entries that one request for appended heads covers. */
export const appendedEntriesMax = 10_000;

/** Query of GET /logs/appended of the event-stream; without `since` nothing has been read yet. */
const appendedHeadsQuery = wire({ sinceMs: time.optional() });

/**
 * The heads of Projects with entries appended since a time. `nextSinceMs` continues the read and
 * overlaps the present one, so that a late insert is not skipped.
 */
export const appendedHeads = wire({
  ...headsFields,
  nextSinceMs: time,
  /** More entries were appended than one response covers. */
  hasMore: z.boolean(),
});
export type AppendedHeads = z.output<typeof appendedHeads>;

/** Query of GET /projects/{project_id}/log of the event-stream. */
const logBatchQuery = z.object({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(logBatchMax).default(logBatchMax),
});

const logEntry = wire({
  position: z.int().min(1),
  appendedAtMs: time,
  event: eventText,
});

/** Entries after a position, ascending and contiguous. */
export const logBatch = wire({
  logEpoch: z.int().min(1),
  headPosition: z.int().min(0),
  /** The oldest stored entry; head + 1 without one. */
  earliestPosition: z.int().min(1),
  earliestAtMs: time.nullable(),
  items: z.array(logEntry),
});
export type LogBatch = z.output<typeof logBatch>;

/** Body of POST /projects/{project_id}/sample-events of the event-stream. */
const wantedSample = wire({ accountId, type: projectEventType });

const { get, post } = operationsFor(['gateway']);

/** The event-stream's internal API of logs. */
export const logApi = {
  readHeads: post('/logs/heads', { input: { body: logHeadsQuery }, response: logHeads }),
  readAppendedHeads: get('/logs/appended', {
    input: { query: appendedHeadsQuery },
    response: appendedHeads,
  }),
  /** Appends an event whose ids are made up. */
  appendSample: post('/projects/{project_id}/sample-events', {
    input: { path: projectPath, body: wantedSample },
    status: 201,
    response: wire({ eventId }),
  }),
  readLogBatch: get('/projects/{project_id}/log', {
    input: { path: projectPath, query: logBatchQuery },
    response: logBatch,
  }),
};
