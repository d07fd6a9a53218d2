import type { ProjectId } from '@inventory/contracts/ids';
import type { MessageBody } from '@inventory/contracts/messages';
import type { Clock } from '@inventory/runtime/clock';
import { newAccountId, newRefreshId, newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import type { Db } from 'mongodb';
import { createAppends } from '../../src/log/append-event.ts';
import { openLogCollections } from '../../src/log/log-document.ts';
import { refreshEvent } from '../../src/log/project-event.ts';
import { createProjectLog, type ProjectLogSettings } from '../../src/log/project-log-store.ts';

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

export type TestLog = ReturnType<typeof openTestLog>;

/** A log as a replica has it. */
export function openTestLog(db: Db, clock: Clock, settings: ProjectLogSettings) {
  const log = createProjectLog(openLogCollections(db), { clock, logger: testLogger }, settings);
  return { ...log, appendEvent: createAppends(log, clock, settings) };
}

export function appendTo(log: Pick<TestLog, 'appendEvent'>, completion: Completion) {
  const { account_id: accountId, project_id: projectId } = completion;
  return log.appendEvent({ accountId, projectId }, refreshEvent(completion));
}
