import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import { webhookEndpointList } from '@inventory/contracts/http/webhooks';
import { envelope } from '../http/envelope.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
import { requireOwnProject } from '../http/project-access.ts';
import { publicRoute } from '../http/public-route.ts';
import {
  endpointExample,
  endpointsTemplate,
  type WebhookDeps,
  webhookPermission,
  webhookTag,
} from './webhook-endpoint.ts';

/** GET …/webhook-endpoints: all endpoints of the Project. */
export const listWebhookEndpointsRoute = publicRoute({
  operationId: 'listWebhookEndpoints',
  tag: webhookTag,
  summary: 'Webhook endpoints',
  description: 'All endpoints of the Project, oldest first.',
  method: 'GET',
  template: endpointsTemplate,
  permission: webhookPermission,
  input: { path: projectPath },
  answer: {
    status: 200,
    description: 'The endpoints.',
    body: { data: webhookEndpointList, meta: plainMeta },
    example: { success: true, data: { items: [endpointExample] }, meta: plainMetaExample },
  },
  errors: ['project_not_found'],
  async handle({ webhooks }: WebhookDeps, { path }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    const items = await webhooks.listEndpoints(principal.projectId);
    return { status: 200, body: envelope({ items }, { request_id: requestId }) };
  },
});
