import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { EventText } from '@inventory/contracts/internal/event-log';
import type { AppendedEvent } from '@inventory/contracts/messages/project-events';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { Handlers } from '@inventory/messaging/dispatch';
import type { AppendEvent, EventOwner } from './append-event.ts';
import type { CountAppended } from './log-metrics.ts';
import { writeBalanceLowEvent, writeRefreshEvent, writeWatchPausedEvent } from './project-event.ts';

export interface AnnouncementDeps {
  readonly appendEvent: AppendEvent;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  /** What waits for the entry is made due. */
  readonly makeDue: (entry: AppendedEvent) => Promise<void>;
  /** The Projects of an account with events; none while they are off. */
  readonly listEventProjects: (accountId: AccountId) => AsyncIterable<ProjectId>;
  readonly onAppended: CountAppended;
}

/**
 * Appends the event of a terminal refresh, or of a paused watch, to its Project's log; duplicates have
 * no effect.
 */
export function onRefreshCompleted(deps: AnnouncementDeps): Handlers {
  return {
    'refresh.completed.v1': async ({ body }) => {
      const event = writeRefreshEvent(body);
      await appendEvent(deps, body, event);
      deps.onAppended(event, body.outcome);
    },
    'watch.paused.v1': async ({ body }) => {
      const event = writeWatchPausedEvent(body);
      await appendEvent(deps, body, event);
      deps.onAppended(event);
    },
  };
}

/**
 * Appends an event to every Project of the account while its events are enabled. After a crash the
 * message is redelivered; an event that exists is not appended again.
 */
export function onBalanceLow(deps: AnnouncementDeps): Handlers {
  return {
    'billing.balance-low.v1': async ({ body }) => {
      const { accountId } = body;
      for await (const projectId of deps.listEventProjects(accountId)) {
        const event = writeBalanceLowEvent(body, projectId);
        await appendEvent(deps, { accountId, projectId }, event);
        deps.onAppended(event);
      }
    },
  };
}

/**
 * Appends an event to the Project's log, then publishes its entry and makes due what waits for it.
 * After a crash before the end the announcement is redelivered, finds the entry and does both again.
 */
async function appendEvent(
  { appendEvent: append, publish, makeDue }: AnnouncementDeps,
  owner: EventOwner,
  event: EventText,
): Promise<void> {
  const body = await append(owner, event);
  const message = { type: 'project.event-appended.v1', id: event.id, body } as const;
  await Promise.all([publish([message]), makeDue(body)]);
}
