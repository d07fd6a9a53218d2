import type { ReceivedMessage } from '@inventory/messaging/bus';
import type { ProjectEventAccess } from '../operations/project-event-access.ts';

/** An account's change concerns Projects that are not named: all are asked about again. */
export function onAuthorityChanged(standings: Pick<ProjectEventAccess, 'forget'>) {
  return ({ type, body }: ReceivedMessage): void => {
    if (type === 'authority.changed.v1') standings.forget(body.project_id);
  };
}
