import { eventPage, eventsQuery } from '@inventory/contracts/http/events';
import { pagination, plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import { type LogBatch, logBatchMax } from '@inventory/contracts/internal/event-log';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';
import { requireEvents } from '../http/authorize.ts';
import { completedEvent, exampleCursor, plainMetaExample } from '../http/openapi/examples.ts';
import { nextPart, sameProject } from '../http/openapi/links.ts';
import { publicRoute } from '../http/public-route.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import { earliestTime, extentOf, keptFrom } from './log-recovery.ts';
import type { PositionCursors } from './position-cursor.ts';
import { recoveryNeeded, type StreamPosition } from './stream-position.domain.ts';

export interface EventListServices {
  readonly log: EventStreamClient;
  readonly cursors: PositionCursors;
}

/** GET …/events: the events of the stream, in pages; for recovery. */
export const listEventsRoute = publicRoute({
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'Events of a Project',
  description:
    'The events of the stream, oldest first, for at least seven days; for recovery. Each ' +
    'cursor continues after its event, here and on the stream. With `types` a page may have few events, ' +
    'or none, where more follow.',
  method: 'GET',
  template: '/v2/projects/{project_id}/events',
  permission: 'customer.events.read.v1',
  input: { path: projectPath, query: eventsQuery },
  response: {
    status: 200,
    description: 'One page of the list.',
    links: {
      listEvents: { ...sameProject, ...nextPart('after') },
      streamEvents: { ...sameProject, 'Last-Event-ID': '$response.body#/data/items/0/cursor' },
      readRefresh: { refresh_id: '$response.body#/data/items/0/event/data/refresh_id' },
    },
    body: { data: eventPage, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [{ cursor: exampleCursor, event: completedEvent }],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
  },
  errors: ['invalid_cursor', 'cursor_expired'],
  async handle(
    { log, cursors }: EventListServices,
    { path: { projectId }, query },
    { principal, requestId },
  ) {
    requireEvents(principal);
    const after = query.after === undefined ? null : cursors.open(projectId, query.after);
    const types = new Set<string>(query.types);
    // Where others are left out, as many entries as one read has.
    const entriesMax = types.size === 0 ? query.limit : logBatchMax;
    const page = await log.readLogBatch(projectId, after?.position ?? 0, entriesMax);
    if (after !== null && recoveryNeeded(after, extentOf(page)) !== null) {
      throw new Refused({
        code: 'cursor_expired',
        detail: {
          earliest_as_of: earliestTime(page),
          resume_cursor: cursors.seal(projectId, keptFrom(page)),
        },
      });
    }
    const cursorOf = ({ position, event }: LogBatch['items'][number]) =>
      cursors.seal(projectId, positionOf(page, position, event.occurredAtMs));
    const wanted = page.items.filter(({ event }) => types.size === 0 || types.has(event.type));
    const listed = wanted.slice(0, query.limit);
    const items = listed.map((entry) => ({ cursor: cursorOf(entry), json: entry.event.json }));
    const last = (wanted.length > listed.length ? listed : page.items).at(-1);
    const hasMore = last !== undefined && last.position < page.headPosition;
    const nextCursor = hasMore ? cursorOf(last) : null;
    const text = responseText(items, { hasMore, nextCursor }, { requestId });
    return { status: 200, body: Buffer.from(text) };
  },
});

/** The response, each event in it as it was written: one of a later version too. */
function responseText(
  items: readonly { readonly cursor: string; readonly json: string }[],
  next: z.output<typeof pagination>,
  meta: z.output<typeof plainMeta>,
): string {
  const texts = items.map(
    ({ cursor, json }) => `{"cursor":${JSON.stringify(cursor)},"event":${json}}`,
  );
  const paginationText = JSON.stringify(z.encode(pagination, next));
  const listed = `{"items":[${texts.join(',')}],"pagination":${paginationText}}`;
  return `{"success":true,"data":${listed},"meta":${JSON.stringify(z.encode(plainMeta, meta))}}`;
}

function positionOf(page: LogBatch, position: number, asOfMs: number): StreamPosition {
  return { logEpoch: page.logEpoch, position, asOfMs };
}
