import { eventAccessApi } from '@inventory/contracts/internal/webhooks';
import { internalRoute } from '@inventory/http/internal-route';
import type { Tenancy } from './open-tenancy.ts';

/** Whether a Project may receive its events; the gateway alone has its state. */
export const readEventAccessRoute = internalRoute({
  ...eventAccessApi.readEventAccess,
  async handle({ requireProject, findAccount }: Tenancy, { path: { projectId } }) {
    const project = await requireProject(projectId);
    const account = await findAccount(project.accountId);
    const isActive = project.state === 'active' && account?.state === 'active';
    return { projectId, events: isActive && account.eventsEnabled };
  },
});

const projectsMax = 500;

/** The Projects that an event of their account is appended to: all while its events are enabled. */
export const listEventProjectsRoute = internalRoute({
  ...eventAccessApi.listEventProjects,
  async handle({ findAccount, listProjects }: Tenancy, { path, query }) {
    const account = await findAccount(path.accountId);
    if (!account?.eventsEnabled) return { projectIds: [], nextAfter: null };
    const part = { afterId: query.after ?? null, limit: projectsMax + 1 };
    const ids = (await listProjects(account.accountId, part)).map((one) => one.projectId);
    const projectIds = ids.slice(0, projectsMax);
    const isLast = ids.length <= projectsMax;
    return { projectIds, nextAfter: isLast ? null : (projectIds.at(-1) ?? null) };
  },
});
