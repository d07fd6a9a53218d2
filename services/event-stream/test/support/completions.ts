import type { ProjectId } from '@inventory/contracts/ids';
import type { RefreshCompleted } from '@inventory/contracts/messages/refresh';
import type { Clock } from '@inventory/runtime/clock';
import { newAccountId, newRefreshId, newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import type { Db } from 'mongodb';
import { createAppends } from '../../src/log/append-event.ts';
import { openLogCollections } from '../../src/log/log-document.ts';
import { writeRefreshEvent } from '../../src/log/project-event.ts';
import { createProjectLog, type ProjectLogSettings } from '../../src/log/project-log-store.ts';

export type Completion = RefreshCompleted;

/** A terminal refresh of the Project, as the collector announces it. */
export function completionOf(
  projectId: ProjectId,
  overrides: Partial<Completion> = {},
): Completion {
  return {
    refreshId: newRefreshId(),
    accountId: newAccountId(),
    projectId,
    outcome: 'private',
    revisionId: null,
    previousRevisionId: null,
    completedAtMs: Date.UTC(2026, 10, 21, 10),
    scope: newScope(),
    watchId: null,
    ...overrides,
  };
}

export type TestLog = ReturnType<typeof openTestLog>;

/** A log as a replica has it. */
export function openTestLog(db: Db, clock: Clock, settings: ProjectLogSettings) {
  const log = createProjectLog(openLogCollections(db), settings, clock, testLogger);
  return { ...log, appendEvent: createAppends(log, clock, settings) };
}

export function appendTo(log: Pick<TestLog, 'appendEvent'>, completion: Completion) {
  return log.appendEvent(completion, writeRefreshEvent(completion));
}
