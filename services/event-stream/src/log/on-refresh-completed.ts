import type { Handlers } from '@inventory/messaging/dispatch';
import { announceRefresh } from './announce-events.ts';
import type { AppendEventDeps } from './append-event.ts';

export function onRefreshCompleted(deps: AppendEventDeps): Handlers {
  return {
    'refresh.completed.v1': ({ body }) =>
      announceRefresh(deps, {
        refreshId: body.refresh_id,
        accountId: body.account_id,
        projectId: body.project_id,
        outcome: body.outcome,
        revisionId: body.revision_id,
        completedAt: body.completed_at,
        inventory: body.scope ?? null,
      }),
  };
}
