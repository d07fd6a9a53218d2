import { plainMeta } from '@inventory/contracts/http/meta';
import { deletedWebhookEndpoint, webhookEndpointPath } from '@inventory/contracts/http/webhooks';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { exampleIds, plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { namedIn } from './webhook-client.ts';
import {
  endpointErrors,
  endpointTemplate,
  type WebhookDeps,
  webhookPermission,
  webhookTag,
} from './webhook-endpoint.ts';

/** DELETE …/webhook-endpoints/{endpoint_id}: with its deliveries. */
export const deleteWebhookEndpointRoute = publicRoute({
  operationId: 'deleteWebhookEndpoint',
  tag: webhookTag,
  summary: 'Delete a webhook endpoint',
  description: 'With its deliveries. A delivery in progress may still arrive.',
  method: 'DELETE',
  template: endpointTemplate,
  permission: webhookPermission,
  input: { path: webhookEndpointPath },
  answer: {
    status: 200,
    description: 'The endpoint is deleted.',
    body: { data: deletedWebhookEndpoint, meta: plainMeta },
    example: {
      success: true,
      data: { endpoint_id: exampleIds.webhookEndpoint, deleted: true },
      meta: plainMetaExample,
    },
  },
  errors: endpointErrors,
  async handle({ webhooks }: WebhookDeps, { path }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    await webhooks.deleteEndpoint(namedIn(path));
    const gone = { endpoint_id: path.endpoint_id, deleted: true } as const;
    return { status: 200, body: envelope(gone, { request_id: requestId }) };
  },
});
