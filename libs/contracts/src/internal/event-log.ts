import { z } from 'zod';
import { opaqueEvent } from '../http/project-event.ts';
import { projectId } from '../ids.ts';

/** Paths of the event-stream's internal API of logs. */
export const logPaths = {
  heads: '/logs/heads',
  appended: '/logs/appended',
  log: '/projects/{project_id}/log',
} as const;

/** Most Projects of one request for heads. */
export const logHeadsMax = 1_000;
/** Most entries on one page of a log. */
export const logPageMax = 500;

/** Body of POST /logs/heads of the event-stream. */
export const logHeadsQuery = z.object({ project_ids: z.array(projectId).max(logHeadsMax) });

/** The end of a Project's log; position 0 for an empty one. */
export const logHead = z.object({ project_id: projectId, position: z.int().min(0) });
export const logHeads = z.object({ log_epoch: z.int().min(1), heads: z.array(logHead) });
export type LogHeads = z.infer<typeof logHeads>;

/** Most entries that one request for appended heads covers. */
export const appendedEntriesMax = 10_000;

/** Query of GET /logs/appended of the event-stream; without `since` nothing has been read yet. */
export const appendedHeadsQuery = z.object({ since: z.iso.datetime().optional() });

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
export const logPageQuery = z.object({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(logPageMax).default(logPageMax),
});

export const logEntry = z.object({
  position: z.int().min(1),
  appended_at: z.iso.datetime(),
  event: opaqueEvent,
});
export type LogEntryView = z.infer<typeof logEntry>;

/** Entries after a position, ascending and contiguous. */
export const logPage = z.object({
  log_epoch: z.int().min(1),
  head_position: z.int().min(0),
  /** The oldest stored entry; head + 1 without one. */
  earliest_position: z.int().min(1),
  earliest_at: z.iso.datetime().nullable(),
  items: z.array(logEntry),
});
export type LogPage = z.infer<typeof logPage>;
