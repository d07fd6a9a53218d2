import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { Handlers } from '@inventory/messaging/dispatch';
import { type AppendEventDeps, appendEvent } from './append-event.ts';
import type { CountAppended } from './log-metrics.ts';
import { balanceLowEvent, refreshEvent, watchPausedEvent } from './project-event.ts';

export interface AnnouncementDeps extends AppendEventDeps {
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
      const event = refreshEvent(body);
      const owner = { accountId: body.account_id, projectId: body.project_id };
      await appendEvent(deps, owner, event);
      deps.onAppended(event, body.outcome);
    },
    'watch.paused.v1': async ({ body }) => {
      const event = watchPausedEvent(body);
      const owner = { accountId: body.account_id, projectId: body.project_id };
      await appendEvent(deps, owner, event);
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
      const accountId = body.account_id;
      for await (const projectId of deps.listEventProjects(accountId)) {
        const event = balanceLowEvent(body, projectId);
        await appendEvent(deps, { accountId, projectId }, event);
        deps.onAppended(event);
      }
    },
  };
}
