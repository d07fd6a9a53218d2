import { plainMeta } from '@inventory/contracts/http/meta';
import { watch, watchScopePath } from '@inventory/contracts/http/watches';
import { Refused } from '@inventory/http/refused';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import {
  type WatchRoutesDeps,
  watchExample,
  watchPermission,
  watchTag,
  watchTemplate,
  watchView,
} from './watch-operation.ts';

/** GET …/watches/{platform_id}/{app_id}/{context_id}. */
export const readWatchRoute = publicRoute({
  operationId: 'readWatch',
  tag: watchTag,
  summary: 'A watch',
  description: 'The watch of an inventory, with what it is expected to cost and the most it can.',
  method: 'GET',
  template: watchTemplate,
  permission: watchPermission,
  input: { path: watchScopePath },
  answer: {
    status: 200,
    description: 'The watch.',
    body: { data: watch, meta: plainMeta },
    example: { success: true, data: watchExample, meta: plainMetaExample },
  },
  errors: ['project_not_found', 'watch_not_found'],
  async handle(deps: WatchRoutesDeps, { path }, { requestId, principal }) {
    const { project_id: projectId, ...scope } = path;
    requireOwnProject(principal, projectId);
    const found = await deps.watches.findWatch(projectId, scope);
    if (found === null) throw new Refused({ code: 'watch_not_found' });
    const data = await watchView(deps, found);
    return { status: 200, body: envelope(data, { request_id: requestId }) };
  },
});
