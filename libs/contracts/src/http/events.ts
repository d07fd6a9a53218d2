import { z } from 'zod';
import { pagination } from './meta.ts';
import { cursorParameter, listLimit } from './parameters.ts';
import { projectEvent, projectEventType, projectEventTypes } from './project-event.ts';

/** Headers of the event stream. A client without a cursor may send an empty one. */
export const streamHeaders = z.object({
  'Last-Event-ID': z
    .string()
    .meta({ pattern: '^[A-Za-z0-9_-]*$' })
    .optional()
    .describe('The id of the last event that was applied. Readable for at least seven days.'),
});

const types = z
  .array(projectEventType)
  .max(projectEventTypes.length, `may be given ${projectEventTypes.length} times`)
  .describe('Only events of one of these types; repeatable; all when absent.');

/** Query of the event stream. */
export const streamQuery = z.object({ types });

/** Query of the list of a Project's events. */
export const eventsQuery = z.object({
  after: cursorParameter
    .optional()
    .describe('Events after it; the oldest kept when absent. Readable for at least seven days.'),
  types,
  limit: listLimit,
});

/** `data` of the list, ascending; each cursor continues after its event, here and on the stream. */
export const eventPage = z.object({
  items: z
    .array(
      z.object({
        cursor: z.string().describe('Continues after the event, here and on the stream.'),
        event: projectEvent,
      }),
    )
    .describe('Oldest first.'),
  pagination,
});
