import { projectPath } from '@inventory/contracts/http/parameters';
import { projectStanding } from '@inventory/contracts/internal/webhooks';
import { Refused } from '@inventory/http/refused';
import Router from '@koa/router';
import type { Tenancy } from './open-tenancy.ts';

/** What fellow services ask about Projects, which only this one knows. */
export function createStandingRouter({
  findProject,
  findAccount,
}: Pick<Tenancy, 'findProject' | 'findAccount'>): Router {
  const router = new Router();
  router.get('/internal/projects/:project_id/standing', async (context) => {
    const { project_id: projectId } = projectPath.parse(context.params);
    const project = await findProject(projectId);
    if (project === null) throw new Refused({ code: 'project_not_found' });
    const account = await findAccount(project.accountId);
    const isActive = project.state === 'active' && account?.state === 'active';
    const events = isActive && account.eventsEnabled;
    context.body = projectStanding.parse({ project_id: projectId, events });
  });
  return router;
}
