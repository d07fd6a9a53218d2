import type { ProjectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Authority } from '../tenancy/authority.domain.ts';

/** A Credential sees its own Project; every other one looks like none. */
export function requireOwnProject(authority: Authority, projectId: ProjectId): void {
  if (projectId !== authority.projectId) throw new Refused({ code: 'project_not_found' });
}

export function requireEvents({ eventsEnabled }: Authority): void {
  if (!eventsEnabled) {
    throw new Refused({ code: 'permission_denied', detail: { reason: 'events_not_enabled' } });
  }
}
