import { plainMeta } from '@inventory/contracts/http/meta';
import { watch, watchBody, watchScopePath } from '@inventory/contracts/http/watches';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { plannedWatch, putWatch } from './manage-watches.ts';
import {
  type WatchRoutesDeps,
  watchExample,
  watchLinks,
  watchPermission,
  watchTag,
  watchTemplate,
  watchView,
} from './watch-operation.ts';

const example = { success: true, data: watchExample, meta: plainMetaExample };

/** PUT …/watches/{platform_id}/{app_id}/{context_id}: watches an inventory, or changes how. */
export const putWatchRoute = publicRoute({
  operationId: 'putWatch',
  tag: watchTag,
  summary: 'Watch an inventory',
  description:
    'Refreshes the inventory once in every period, at a time of its own. Each run is a refresh with ' +
    '`watch_id`: it holds, costs and announces as one, does not count against the request rate, and ' +
    'is skipped while admission is closed or the run before it is open. A paused watch resumes. ' +
    'With `dry_run` nothing is stored.',
  method: 'PUT',
  template: watchTemplate,
  permission: watchPermission,
  input: { path: watchScopePath, body: watchBody },
  bodyExample: { every_seconds: 3_600, max_credits_per_day: 500 },
  answer: {
    status: 200,
    description: 'The watch as it is now; in a dry run as it would be.',
    body: { data: watch, meta: plainMeta },
    example,
    links: watchLinks('/data'),
    also: { status: 201, description: 'The inventory is watched from now on.', example },
  },
  errors: ['project_not_found', 'watch_limit_exceeded'],
  async handle(deps: WatchRoutesDeps, { path, body }, { requestId, principal }) {
    const { project_id: projectId, ...scope } = path;
    requireOwnProject(principal, projectId);
    const { dry_run: isDryRun, ...settings } = body;
    const wanted = { ...settings, accountId: principal.accountId, projectId, scope };
    const meta = { request_id: requestId };
    if (isDryRun) {
      const planned = await plannedWatch(deps, wanted);
      const view = await watchView(deps, planned.watch);
      const data = planned.read === null ? { ...view, watch_id: null } : view;
      return { status: 200, body: envelope(data, meta) };
    }
    const put = await putWatch(deps, wanted);
    return {
      status: put.isNew ? 201 : 200,
      body: envelope(await watchView(deps, put.watch), meta),
    };
  },
});
