import type { EventText } from '@inventory/contracts/internal/event-log';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { isoTime } from '@inventory/runtime/clock';
import type { EventOwner, LogEntry, ProjectLog } from './project-log-store.ts';

export interface AppendEventDeps {
  readonly log: Pick<ProjectLog, 'appendEvent'>;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  /** What waits for the entry is made due. */
  readonly makeDue: (entry: LogEntry) => Promise<void>;
}

/**
 * Appends an event to the Project's log, then publishes its entry and makes due what waits for it.
 * After a crash before the end the announcement is redelivered, finds the entry and does both again.
 */
export async function appendEvent(
  { log, publish, makeDue }: AppendEventDeps,
  owner: EventOwner,
  event: EventText,
): Promise<void> {
  const entry = await log.appendEvent(owner, event);
  await Promise.all([publish([appendedMessage(entry)]), makeDue(entry)]);
}

function appendedMessage(entry: LogEntry): OutgoingMessage {
  const { projectId, logEpoch, position, event, appendedAtMs } = entry;
  return {
    type: 'project.event-appended.v1',
    id: event.id,
    body: {
      project_id: projectId,
      position,
      log_epoch: logEpoch,
      event,
      ...(appendedAtMs === null ? {} : { appended_at: isoTime(appendedAtMs) }),
    },
  };
}
