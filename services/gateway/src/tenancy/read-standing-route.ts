import { projectPath } from '@inventory/contracts/http/parameters';
import { projectStanding, standingPath } from '@inventory/contracts/internal/webhooks';
import { internalRoute } from '@inventory/http/internal-route';
import { Refused } from '@inventory/http/refused';
import type { Tenancy } from './open-tenancy.ts';

/** Whether a Project may receive its events; the gateway alone has its state. */
export const readStandingRoute = internalRoute({
  method: 'GET',
  template: standingPath,
  callers: ['event-stream'],
  input: { path: projectPath },
  answer: projectStanding,
  async handle(
    { findProject, findAccount }: Pick<Tenancy, 'findProject' | 'findAccount'>,
    { path: { project_id: projectId } },
  ) {
    const project = await findProject(projectId);
    if (project === null) throw new Refused({ code: 'project_not_found' });
    const account = await findAccount(project.accountId);
    const isActive = project.state === 'active' && account?.state === 'active';
    return { project_id: projectId, events: isActive && account.eventsEnabled };
  },
});
