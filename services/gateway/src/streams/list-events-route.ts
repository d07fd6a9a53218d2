import type { ProjectId } from '@inventory/contracts/ids';
import type { LogPage } from '@inventory/contracts/internal/event-log';
import { Refused } from '@inventory/http/refused';
import { fromIsoTime } from '@inventory/runtime/clock';
import { envelope } from '../http/envelope.ts';
import { requireEvents, requireOwnProject } from '../http/project-access.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import { listEventsEndpoint } from './event-endpoints.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import { openPosition } from './position-cursor.ts';
import { recoveryNeeded, type StreamPosition } from './stream-position.domain.ts';
import { extentOf, keptFrom } from './stream-session.ts';

export interface ListEventsDeps {
  readonly log: EventStreamClient;
  readonly cursors: CursorSealer;
  readonly sealPosition: (projectId: ProjectId, place: StreamPosition) => string;
}

/** GET …/events: what the stream carries, in pages; the path of recovery. */
export function listEventsRoute({ log, cursors, sealPosition }: ListEventsDeps): Route {
  function placeAfter(page: LogPage, position: number, at: string): StreamPosition {
    return { logEpoch: page.log_epoch, position, asOfMs: fromIsoTime(at) };
  }

  return defineRoute({
    ...listEventsEndpoint,
    async handle({ requestId, authority }, { path, query }) {
      const projectId = path.project_id;
      requireOwnProject(authority, projectId);
      requireEvents(authority);
      const place =
        query.after === undefined ? null : openPosition(cursors, projectId, query.after);
      const page = await log.page(projectId, place?.position ?? 0, query.limit);
      if (place !== null && recoveryNeeded(place, extentOf(page)) !== null) {
        throw new Refused({
          code: 'cursor_expired',
          detail: {
            earliest_as_of: page.earliest_at,
            resume_cursor: sealPosition(projectId, keptFrom(page)),
          },
        });
      }
      const items = page.items.map(({ position, event }) => ({
        cursor: sealPosition(projectId, placeAfter(page, position, event.occurred_at)),
        event,
      }));
      const last = page.items.at(-1)?.position ?? page.head_position;
      const hasMore = last < page.head_position;
      const next_cursor = hasMore ? (items.at(-1)?.cursor ?? null) : null;
      const pagination = { has_more: hasMore, next_cursor };
      return { status: 200, body: envelope({ items, pagination }, { request_id: requestId }) };
    },
  });
}
