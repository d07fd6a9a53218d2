import type { AccountId } from '@inventory/contracts/ids';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { LoggedEvent } from '../domain/project-event.ts';
import type { LogEntry, ProjectLog } from '../storage/project-log.ts';
import { toWireEvent } from './wire-event.ts';

export interface AppendDependencies {
  readonly log: Pick<ProjectLog, 'append'>;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  readonly onAppended: (event: LoggedEvent) => void;
}

/**
 * Gives an event its place in the Project's log, then rings the doorbell. A crash between the two
 * repeats the announcement, which finds the entry and rings again.
 */
export async function appendEvent(
  { log, publish, onAppended }: AppendDependencies,
  accountId: AccountId,
  event: LoggedEvent,
): Promise<void> {
  const entry = await log.append(accountId, event);
  await publish([appendedMessage(entry)]);
  onAppended(event);
}

function appendedMessage({ projectId, logEpoch, position, event }: LogEntry): OutgoingMessage {
  return {
    type: 'project.event-appended.v1',
    id: event.id,
    body: { project_id: projectId, position, log_epoch: logEpoch, event: toWireEvent(event) },
  };
}
