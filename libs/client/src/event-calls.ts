import { checkOptions } from './arguments.ts';
import type { CallApi } from './call-api.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { EventPage, PlacedEvent } from './event-records.ts';
import { followEvents } from './follow-events.ts';
import type { FollowEventsOptions, ListEventsOptions } from './options.ts';
import { eventsPath, isCursor, withQuery } from './paths.ts';
import { itemsIn } from './read-records.ts';
import type { OpenStream } from './stream-frames.ts';
import { walkItems } from './walk-pages.ts';

/** All of these calls are free and need a Credential of the Project with `customer.events.read.v1`. */
export interface EventCalls {
  /** One page of a Project's events, oldest first. */
  listEvents(projectId: string, options?: ListEventsOptions): Promise<EventPage>;
  /** All stored events, from the oldest or after a cursor, up to the present end. */
  events(projectId: string, options?: ListEventsOptions): AsyncGenerator<PlacedEvent, void, void>;
  /**
   * Reads the Project's stream until the signal is aborted, over any number of connections. Rejects
   * with the signal's reason, with the error of a callback, with {@link AuthorizationRevokedError}
   * and other permanent refusals, or with {@link RecoveryRequiredError} where there is no `onGap`.
   */
  followEvents(projectId: string, options: FollowEventsOptions): Promise<never>;
}

export function createEventCalls(
  callApi: CallApi,
  open: OpenStream,
  environment: ClientEnvironment,
): EventCalls {
  async function listEvents(projectId: string, options: ListEventsOptions = {}) {
    const { after, types, limit } = options;
    const path = withQuery(eventsPath(projectId), { after, types, limit });
    return itemsIn<PlacedEvent>(await callApi({ method: 'GET', path }, options));
  }

  const events = (projectId: string, options: ListEventsOptions = {}) =>
    walkItems((after) => listEvents(projectId, { ...options, after }), options.after);

  return {
    listEvents,
    events,
    async followEvents(projectId, options) {
      checkOptions(options, ['onEvent']);
      const { lastEventId = null } = options;
      if (lastEventId !== null && !isCursor(lastEventId)) {
        throw new TypeError('lastEventId must be a cursor of the service.');
      }
      return followEvents({ open, events, environment }, projectId, options);
    },
  };
}
