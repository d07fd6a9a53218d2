import type { ProjectId } from '@inventory/contracts/ids';
import type { Authority } from '../tenancy/authority.domain.ts';
import { refuse } from './refusal.ts';

/** A Credential sees its own Project; every other one looks like none. */
export function requireOwnProject(authority: Authority, projectId: ProjectId): void {
  if (projectId !== authority.projectId) throw refuse('project_not_found');
}

export function requireEvents({ eventsEnabled }: Authority): void {
  if (!eventsEnabled) {
    throw refuse('permission_denied', { detail: { reason: 'events_not_enabled' } });
  }
}
