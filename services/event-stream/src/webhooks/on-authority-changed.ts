import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { ReceivedMessage } from '@inventory/messaging/bus';
import type { ProjectEventAccess } from './event-access.ts';

export interface AuthorityChangedDeps {
  readonly eventAccess: Pick<ProjectEventAccess, 'invalidate'>;
  /** Gives endpoints that wait a turn; the account's, or those of one Project. */
  readonly wakeWaiting: (accountId: AccountId, projectId: ProjectId | null) => void;
}

/**
 * A change of an account does not list its Projects: it invalidates every cached answer. Whether an
 * endpoint may be sent to depends on no Credential.
 */
export function onAuthorityChanged({ eventAccess, wakeWaiting }: AuthorityChangedDeps) {
  return ({ type, body }: ReceivedMessage): void => {
    if (type !== 'authority.changed.v1') return;
    eventAccess.invalidate(body.project_id);
    if (body.credential_id === null) wakeWaiting(body.account_id, body.project_id);
  };
}
