import type { Handlers } from '@inventory/messaging/dispatch';
import { type AppendDependencies, appendEvent } from '../operations/append-event.ts';

export function onRefreshCompleted(dependencies: AppendDependencies): Handlers {
  return {
    'refresh.completed.v1': ({ body }) =>
      appendEvent(dependencies, {
        refreshId: body.refresh_id,
        accountId: body.account_id,
        projectId: body.project_id,
        outcome: body.outcome,
        revisionId: body.revision_id,
        completedAt: body.completed_at,
      }),
  };
}
