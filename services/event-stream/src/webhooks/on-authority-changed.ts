import type { ReceivedMessage } from '@inventory/messaging/bus';
import type { ProjectEventAccess } from './event-access.ts';

/** A change of an account does not list its Projects: it invalidates every cached answer. */
export function onAuthorityChanged(eventAccess: Pick<ProjectEventAccess, 'invalidate'>) {
  return ({ type, body }: ReceivedMessage): void => {
    if (type === 'authority.changed.v1') eventAccess.invalidate(body.project_id);
  };
}
