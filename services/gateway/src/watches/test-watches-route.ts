import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import { watchTest } from '@inventory/contracts/http/watches';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { exampleIds, plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import {
  type WatchRoutesDeps,
  watchesTemplate,
  watchPermission,
  watchTag,
} from './watch-operation.ts';

/** POST …/watches/test: free, also before there is a watch. */
export const testWatchesRoute = publicRoute({
  operationId: 'testWatches',
  tag: watchTag,
  summary: 'Send a sample event',
  description:
    'Sends a signed `inventory.refresh.completed` with `data.test: true` to each enabled webhook ' +
    'endpoint of the Project that subscribes to that type. Free; nothing is refreshed, and the event ' +
    'is in no log and on no stream.',
  method: 'POST',
  template: `${watchesTemplate}/test`,
  permission: watchPermission,
  input: { path: projectPath },
  answer: {
    status: 202,
    description: 'The sample is sent; its deliveries are listed with those of the endpoints.',
    body: { data: watchTest, meta: plainMeta },
    example: {
      success: true,
      data: {
        event_id: 'evt_0198c0de-0000-7000-8000-000000000010',
        endpoints: [exampleIds.webhookEndpoint],
      },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found'],
  async handle(
    { webhooks }: Pick<WatchRoutesDeps, 'webhooks'>,
    { path: { project_id: projectId } },
    { requestId, principal },
  ) {
    requireOwnProject(principal, projectId);
    const data = await webhooks.sendSample(projectId);
    return { status: 202, body: envelope(data, { request_id: requestId }) };
  },
});
