import { eventPage, eventsQuery, streamHeaders } from '@inventory/contracts/http/events';
import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import { defineEndpoint } from '../http/endpoint.ts';
import { completedEvent, exampleCursor, plainMetaExample } from '../http/openapi/examples.ts';
import { checkpointFrame, eventFrame } from './event-frame.domain.ts';

const tag = 'Events';
const permission = 'customer.events.read.v1';

export const streamEventsEndpoint = defineEndpoint({
  operationId: 'streamEvents',
  tag,
  summary: 'Event stream',
  description:
    'Server-sent events of one Project. The first frame is a `checkpoint` whose id is where the ' +
    'connection goes on from: the present end, or the cursor given in `Last-Event-ID`. Every ' +
    'event after it follows once and in order. Store the id of an event after it was applied; ' +
    'reconnect with it after `stream.closing` and after every end without a frame.',
  method: 'GET',
  template: '/v2/projects/{project_id}/events/stream',
  permission,
  types: ['text/event-stream'],
  input: { path: projectPath, header: streamHeaders },
  answer: {
    status: 200,
    description: 'Frames until either side ends the connection.',
    body: { text: 'text/event-stream' },
    example:
      checkpointFrame(exampleCursor, completedEvent.occurred_at) +
      eventFrame(exampleCursor, completedEvent),
  },
  errors: ['project_not_found', 'invalid_cursor', 'stream_limit_exceeded'],
});

export const listEventsEndpoint = defineEndpoint({
  operationId: 'listEvents',
  tag,
  summary: 'Events of a Project',
  description:
    'What the stream carries, oldest first, for seven days at least: the path of recovery. ' +
    'Each cursor continues behind its event, here and on the stream.',
  method: 'GET',
  template: '/v2/projects/{project_id}/events',
  permission,
  input: { path: projectPath, query: eventsQuery },
  answer: {
    status: 200,
    description: 'One part of the list.',
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
  errors: ['project_not_found', 'invalid_cursor', 'cursor_expired'],
});
