import { projectPath } from '@inventory/contracts/http/parameters';
import { logHeadsQuery, logPageQuery } from '@inventory/contracts/internal/event-log';
import { readJson } from '@inventory/http/read-body';
import Router from '@koa/router';
import type { Webhooks } from '../open-webhooks.ts';
import type { ProjectLog } from '../storage/project-log.ts';
import { toLogPage } from './convert.ts';
import { addWebhookRoutes } from './webhook-routes.ts';

interface RouterParts {
  readonly log: ProjectLog;
  readonly logEpoch: number;
  readonly webhooks: Webhooks;
}

/** What gateways ask: where logs end, what is in them, and where their events are sent. */
export function createRouter({ log, logEpoch, webhooks }: RouterParts): Router {
  const router = new Router();
  addWebhookRoutes(router, webhooks);
  router.post('/logs/heads', async (context) => {
    const { project_ids: projectIds } = logHeadsQuery.parse(await readJson(context.req));
    const heads = await Promise.all(
      projectIds.map(async (id) => ({ project_id: id, position: await log.head(id) })),
    );
    context.body = { log_epoch: logEpoch, heads };
  });
  router.get('/projects/:project_id/log', async (context) => {
    const { project_id: projectId } = projectPath.parse(context.params);
    const { after, limit } = logPageQuery.parse(context.query);
    const [head, [oldest], items] = await Promise.all([
      log.head(projectId),
      log.after(projectId, 0, 1),
      log.after(projectId, after, limit),
    ]);
    context.body = toLogPage({ logEpoch, head, oldest, items });
  });
  return router;
}
