import type { Ask } from './ask.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { EventPage, PlacedEvent } from './event-records.ts';
import { followEvents } from './follow-events.ts';
import type { FollowEventsOptions, ListEventsOptions } from './options.ts';
import { eventsPath, isCursor, withQuery } from './paths.ts';
import { readItems } from './read-records.ts';
import type { OpenStream } from './stream-transport.ts';
import { walkPages } from './walk-pages.ts';

/** All of them are free, and need a Credential of the Project with `customer.events.read.v1`. */
export interface EventCalls {
  /** One page of a Project's events, oldest first. */
  listEvents(projectId: string, options?: ListEventsOptions): Promise<EventPage>;
  /** All events that are kept, from the oldest or from a cursor on, to the present end. */
  events(projectId: string, options?: ListEventsOptions): AsyncGenerator<PlacedEvent, void, void>;
  /**
   * Reads the Project's stream until the signal is aborted, over any number of connections. Rejects
   * with the signal's reason, with what a callback threw, with {@link AuthorizationRevokedError}
   * and the other refusals that connecting again cannot change, or with
   * {@link RecoveryRequiredError} where there is no `onGap`.
   */
  followEvents(projectId: string, options: FollowEventsOptions): Promise<never>;
}

export function createEventCalls(
  ask: Ask,
  open: OpenStream,
  environment: ClientEnvironment,
): EventCalls {
  async function listEvents(projectId: string, options: ListEventsOptions = {}) {
    const { after, limit } = options;
    const path = withQuery(eventsPath(projectId), { after, limit });
    return readItems<PlacedEvent>(await ask({ method: 'GET', path }, options));
  }

  async function* events(projectId: string, options: ListEventsOptions = {}) {
    const read = (after: string | null) => listEvents(projectId, { ...options, after });
    const pages = walkPages(read, ({ pagination }) => pagination, options.after ?? null);
    for await (const { items } of pages) yield* items;
  }

  return {
    listEvents,
    events,
    async followEvents(projectId, options) {
      const { lastEventId = null } = options;
      if (lastEventId !== null && !isCursor(lastEventId)) {
        throw new TypeError('lastEventId must be a cursor of the service.');
      }
      return followEvents({ open, events, environment }, projectId, options);
    },
  };
}
