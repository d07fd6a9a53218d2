import type { ProjectEvent } from '@inventory/contracts/http/project-event';
import { refreshPath } from '@inventory/contracts/http/refresh';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { uuidV5 } from '@inventory/runtime/identifiers';
import {
  type RefreshEvent,
  refreshEvent,
  refreshEventType,
  type TerminalRefresh,
} from '../domain/refresh-event.ts';
import type { LogEntry, ProjectLog } from '../storage/project-log.ts';

export interface AppendDependencies {
  readonly log: ProjectLog;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  readonly onAppended: (outcome: string) => void;
}

/**
 * Gives the event of a terminal refresh its place in the Project's log, then rings the doorbell.
 * A crash between the two repeats the announcement, which finds the entry and rings again.
 */
export async function appendEvent(
  { log, publish, onAppended }: AppendDependencies,
  terminal: TerminalRefresh,
): Promise<void> {
  const event = refreshEvent(terminal, uuidV5(terminal.refreshId, refreshEventType));
  const entry = await log.append(terminal.accountId, event);
  await publish([appendedMessage(entry)]);
  onAppended(event.outcome);
}

function appendedMessage({ projectId, logEpoch, position, event }: LogEntry): OutgoingMessage {
  return {
    type: 'project.event-appended.v1',
    id: event.id,
    body: { project_id: projectId, position, log_epoch: logEpoch, event: toWireEvent(event) },
  };
}

/** The event as customers receive it. */
export function toWireEvent(event: RefreshEvent): ProjectEvent {
  return {
    id: event.id,
    version: event.version,
    type: event.type,
    occurred_at: event.occurredAt,
    project_id: event.projectId,
    data: { refresh_id: event.refreshId, state: 'completed', outcome: event.outcome },
    links: { refresh: refreshPath(event.refreshId) },
  };
}
