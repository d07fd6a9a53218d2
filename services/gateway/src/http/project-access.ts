import type { ProjectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Principal } from '../tenancy/principal.domain.ts';

/** A Credential has access to its own Project; any other is `project_not_found`. */
export function requireOwnProject(principal: Principal, projectId: ProjectId): void {
  if (projectId !== principal.projectId) throw new Refused({ code: 'project_not_found' });
}

export function requireEvents({ eventsEnabled }: Principal): void {
  if (!eventsEnabled) {
    throw new Refused({ code: 'permission_denied', detail: { reason: 'events_not_enabled' } });
  }
}
