import type { ReceivedMessage } from '@inventory/messaging/bus';
import type { ProjectEventAccess } from '../operations/project-event-access.ts';

/** An account's change concerns Projects that are not named: all are asked about again. */
export function onAuthorityChanged(eventAccess: Pick<ProjectEventAccess, 'invalidate'>) {
  return ({ type, body }: ReceivedMessage): void => {
    if (type === 'authority.changed.v1') eventAccess.invalidate(body.project_id);
  };
}
