import { plainMeta } from '@inventory/contracts/http/meta';
import { deletedWatch, watchScopePath } from '@inventory/contracts/http/watches';
import { Refused } from '@inventory/http/refused';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { exampleIds, plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import {
  type WatchRoutesDeps,
  watchPermission,
  watchTag,
  watchTemplate,
} from './watch-operation.ts';

/** DELETE …/watches/{platform_id}/{app_id}/{context_id}. */
export const deleteWatchRoute = publicRoute({
  operationId: 'deleteWatch',
  tag: watchTag,
  summary: 'Delete a watch',
  description: 'There are no further runs. One that is open ends as any refresh.',
  method: 'DELETE',
  template: watchTemplate,
  permission: watchPermission,
  input: { path: watchScopePath },
  answer: {
    status: 200,
    description: 'Deleted.',
    body: { data: deletedWatch, meta: plainMeta },
    example: {
      success: true,
      data: { watch_id: exampleIds.watch, deleted: true },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found', 'watch_not_found'],
  async handle({ watches }: Pick<WatchRoutesDeps, 'watches'>, { path }, { requestId, principal }) {
    const { project_id: projectId, ...scope } = path;
    requireOwnProject(principal, projectId);
    const deleted = await watches.deleteWatch(projectId, scope);
    if (deleted === null) throw new Refused({ code: 'watch_not_found' });
    const data = { watch_id: deleted.id, deleted: true };
    return { status: 200, body: envelope(data, { request_id: requestId }) };
  },
});
