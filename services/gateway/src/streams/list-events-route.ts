import { eventPage, eventsQuery } from '@inventory/contracts/http/events';
import { projectPath } from '@inventory/contracts/http/parameters';
import type { ProjectEvent } from '@inventory/contracts/http/project-event';
import type { LogBatch } from '@inventory/contracts/internal/event-log';
import { Refused } from '@inventory/http/refused';
import { fromIsoTime } from '@inventory/runtime/clock';
import { requireEvents } from '../http/authorize.ts';
import { dataRoute, partOf } from '../http/data-route.ts';
import { completedEvent, exampleCursor } from '../http/openapi/examples.ts';
import { nextPart, sameProject } from '../http/openapi/links.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import { extentOf, keptFrom } from './open-stream.ts';
import type { PositionCursors } from './position-cursor.ts';
import { recoveryNeeded, type StreamPosition } from './stream-position.domain.ts';

export interface EventListServices {
  readonly log: EventStreamClient;
  readonly cursors: PositionCursors;
}

/** GET …/events: the events of the stream, in pages; for recovery. */
export const listEventsRoute = dataRoute({
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'Events of a Project',
  description:
    'The events of the stream, oldest first, for at least seven days; for recovery. Each ' +
    'cursor continues after its event, here and on the stream.',
  method: 'GET',
  template: '/v2/projects/{project_id}/events',
  permission: 'customer.events.read.v1',
  input: { path: projectPath, query: eventsQuery },
  answer: partOf(
    eventPage,
    { cursor: exampleCursor, event: completedEvent },
    {
      listEvents: { ...sameProject, ...nextPart('after') },
      streamEvents: { ...sameProject, 'Last-Event-ID': '$response.body#/data/items/0/cursor' },
      readRefresh: { refresh_id: '$response.body#/data/items/0/event/data/refresh_id' },
    },
  ),
  errors: ['invalid_cursor', 'cursor_expired'],
  async handle({ log, cursors }: EventListServices, { path, query }, { principal }) {
    const projectId = path.project_id;
    requireEvents(principal);
    const after = query.after === undefined ? null : cursors.open(projectId, query.after);
    const page = await log.readLogBatch(projectId, after?.position ?? 0, query.limit);
    if (after !== null && recoveryNeeded(after, extentOf(page)) !== null) {
      throw new Refused({
        code: 'cursor_expired',
        detail: {
          earliest_as_of: page.earliest_at,
          resume_cursor: cursors.seal(projectId, keptFrom(page)),
        },
      });
    }
    const items = page.items.map(({ position, event }) => ({
      cursor: cursors.seal(projectId, positionOf(page, position, event.occurred_at)),
      event: JSON.parse(event.json) as ProjectEvent,
    }));
    const last = page.items.at(-1)?.position ?? page.head_position;
    const hasMore = last < page.head_position;
    const next_cursor = hasMore ? (items.at(-1)?.cursor ?? null) : null;
    const pagination = { has_more: hasMore, next_cursor };
    return { data: { items, pagination } };
  },
});

function positionOf(page: LogBatch, position: number, at: string): StreamPosition {
  return { logEpoch: page.log_epoch, position, asOfMs: fromIsoTime(at) };
}
