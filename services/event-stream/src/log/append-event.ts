import { opaqueEvent } from '@inventory/contracts/http/project-event';
import type { AccountId } from '@inventory/contracts/ids';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { isoTime } from '@inventory/runtime/clock';
import type { LoggedEvent } from './project-event.domain.ts';
import type { LogEntry, ProjectLog } from './project-log-store.ts';

export interface AppendEventDeps {
  readonly log: Pick<ProjectLog, 'appendEvent'>;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  /** What waits for the entry is made due. */
  readonly makeDue: (entry: LogEntry) => Promise<void>;
  readonly onAppended: (event: LoggedEvent) => void;
}

/**
 * Appends an event to the Project's log, then publishes its entry and makes due what waits for it.
 * After a crash before the end the announcement is redelivered, finds the entry and does both again.
 */
export async function appendEvent(
  { log, publish, makeDue, onAppended }: AppendEventDeps,
  accountId: AccountId,
  event: LoggedEvent,
): Promise<void> {
  const entry = await log.appendEvent(accountId, event);
  await Promise.all([publish([appendedMessage(entry)]), makeDue(entry)]);
  onAppended(event);
}

function appendedMessage(entry: LogEntry): OutgoingMessage {
  const { projectId, logEpoch, position, eventId, json, appendedAtMs } = entry;
  return {
    type: 'project.event-appended.v1',
    id: eventId,
    body: {
      project_id: projectId,
      position,
      log_epoch: logEpoch,
      event: opaqueEvent.parse(JSON.parse(json)),
      ...(appendedAtMs === null ? {} : { appended_at: isoTime(appendedAtMs) }),
    },
  };
}
