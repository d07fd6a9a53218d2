import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import {
  type WebhookEndpointView,
  webhookEndpointList,
  webhookEndpointsQuery,
} from '@inventory/contracts/http/webhooks';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { exampleCursor, plainMetaExample } from '../http/openapi/examples.ts';
import { nextPart, sameProject } from '../http/openapi/links.ts';
import { publicRoute } from '../http/public-route.ts';
import { openOrRefuse } from '../http/sealed-cursor.ts';
import {
  endpointExample,
  endpointsTemplate,
  type WebhookDeps,
  webhookPermission,
  webhookTag,
} from './webhook-endpoint.ts';

/** GET …/webhook-endpoints: the endpoints of the Project. */
export const listWebhookEndpointsRoute = publicRoute({
  operationId: 'listWebhookEndpoints',
  tag: webhookTag,
  summary: 'Webhook endpoints',
  description: 'The endpoints of the Project, oldest first.',
  method: 'GET',
  template: endpointsTemplate,
  permission: webhookPermission,
  input: { path: projectPath, query: webhookEndpointsQuery },
  answer: {
    status: 200,
    description: 'One part of the list.',
    links: { listWebhookEndpoints: { ...sameProject, ...nextPart() } },
    body: { data: webhookEndpointList, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [endpointExample],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found', 'invalid_cursor'],
  async handle(
    { webhooks, cursors }: WebhookDeps,
    { path, query: { limit, cursor } },
    { requestId, principal },
  ) {
    const projectId = path.project_id;
    requireOwnProject(principal, projectId);
    const binding = ['webhook-endpoints', projectId];
    const after = cursor === undefined ? '' : openOrRefuse(cursors, cursor, binding);
    const all = await webhooks.listEndpoints(projectId);
    const left = all.filter((endpoint) => placeOf(endpoint) > after);
    const items = left.slice(0, limit);
    const last = left.length > items.length ? items.at(-1) : undefined;
    const next_cursor = last === undefined ? null : cursors.seal(placeOf(last), binding);
    const pagination = { has_more: next_cursor !== null, next_cursor };
    return { status: 200, body: envelope({ items, pagination }, { request_id: requestId }) };
  },
});

/** As they are sorted, so that a list continues after an endpoint that was deleted meanwhile. */
function placeOf({ created_at, endpoint_id }: WebhookEndpointView): string {
  return `${created_at} ${endpoint_id}`;
}
