import { z } from 'zod';
import { projectPath } from '../http/parameters.ts';
import { eventTypeName, type ProjectEvent } from '../http/project-event.ts';
import { eventId, projectId, refreshId } from '../ids.ts';
import { operationsFor } from './operations.ts';

/**
 * An event of any type, also of one that a later version adds, as the JSON that its author has
 * written. Log, notification, stream and webhook carry this text, which is not written again; beside
 * it is what they read of an event.
 */
export const eventText = z.object({
  id: eventId,
  type: eventTypeName,
  occurred_at: z.iso.datetime(),
  /** The refresh whose event it is. */
  refresh_id: refreshId.nullable(),
  /** On one line. */
  json: z.string().regex(/^\{[^\r\n]*\}$/),
});
export type EventText = z.infer<typeof eventText>;

/** Writes the JSON of an event, once for all readers. */
export function writeEvent<Event extends ProjectEvent>(
  event: Event,
): EventText & { readonly type: Event['type'] } {
  const { id, type, occurred_at } = event;
  const refresh_id = event.type === 'inventory.refresh.completed' ? event.data.refresh_id : null;
  return { id, type, occurred_at, refresh_id, json: JSON.stringify(event) };
}

/** Most Projects of one request for heads. */
export const logHeadsMax = 1_000;
/** Most entries of one batch of a log. */
export const logBatchMax = 500;

/** Body of POST /logs/heads of the event-stream. */
const logHeadsQuery = z.object({ project_ids: z.array(projectId).max(logHeadsMax) });

/** The end of a Project's log; position 0 for an empty one. */
export const logHead = z.object({ project_id: projectId, position: z.int().min(0) });
export const logHeads = z.object({ log_epoch: z.int().min(1), heads: z.array(logHead) });
export type LogHeads = z.infer<typeof logHeads>;

/** Most entries that one request for appended heads covers. */
export const appendedEntriesMax = 10_000;

/** Query of GET /logs/appended of the event-stream; without `since` nothing has been read yet. */
const appendedHeadsQuery = z.object({ since: z.iso.datetime().optional() });

/**
 * The heads of Projects with entries appended since a time. `next_since` continues the read and
 * overlaps the present one, so that a late insert is not skipped.
 */
export const appendedHeads = logHeads.extend({
  next_since: z.iso.datetime(),
  /** More entries were appended than one response covers. */
  has_more: z.boolean(),
});
export type AppendedHeads = z.infer<typeof appendedHeads>;

/** Query of GET /projects/{project_id}/log of the event-stream. */
const logBatchQuery = z.object({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(logBatchMax).default(logBatchMax),
});

export const logEntry = z.object({
  position: z.int().min(1),
  appended_at: z.iso.datetime(),
  event: eventText,
});

/** Entries after a position, ascending and contiguous. */
export const logBatch = z.object({
  log_epoch: z.int().min(1),
  head_position: z.int().min(0),
  /** The oldest stored entry; head + 1 without one. */
  earliest_position: z.int().min(1),
  earliest_at: z.iso.datetime().nullable(),
  items: z.array(logEntry),
});
export type LogBatch = z.infer<typeof logBatch>;

const { get, post } = operationsFor(['gateway']);

/** The event-stream's internal API of logs. */
export const logApi = {
  readHeads: post('/logs/heads', { input: { body: logHeadsQuery }, answer: logHeads }),
  readAppendedHeads: get('/logs/appended', {
    input: { query: appendedHeadsQuery },
    answer: appendedHeads,
  }),
  readLogBatch: get('/projects/{project_id}/log', {
    input: { path: projectPath, query: logBatchQuery },
    answer: logBatch,
  }),
};
