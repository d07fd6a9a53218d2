import type { ProjectId } from '@inventory/contracts/ids';
import type { MessageBody } from '@inventory/contracts/messages';
import { newAccountId, newRefreshId, newScope } from '@inventory/testkit/builders';
import { refreshEvent } from '../../src/log/project-event.ts';
import type { ProjectLog } from '../../src/log/project-log-store.ts';

export type Completion = MessageBody<'refresh.completed.v1'>;

/** A terminal refresh of the Project, as the collector announces it. */
export function completionOf(
  projectId: ProjectId,
  overrides: Partial<Completion> = {},
): Completion {
  return {
    refresh_id: newRefreshId(),
    account_id: newAccountId(),
    project_id: projectId,
    outcome: 'private',
    revision_id: null,
    completed_at: '2026-11-21T10:00:00.000Z',
    scope: newScope(),
    ...overrides,
  };
}

export function appendTo(log: Pick<ProjectLog, 'appendEvent'>, completion: Completion) {
  const { account_id: accountId, project_id: projectId } = completion;
  return log.appendEvent({ accountId, projectId }, refreshEvent(completion));
}
