import { plainMeta } from '@inventory/contracts/http/meta';
import { webhookEndpoint, webhookEndpointPath } from '@inventory/contracts/http/webhooks';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { namedIn } from './webhook-client.ts';
import {
  endpointErrors,
  endpointExample,
  endpointTemplate,
  type WebhookDeps,
  webhookPermission,
  webhookTag,
} from './webhook-endpoint.ts';

/** GET …/webhook-endpoints/{endpoint_id}: one endpoint, without its secrets. */
export const readWebhookEndpointRoute = publicRoute({
  operationId: 'readWebhookEndpoint',
  tag: webhookTag,
  summary: 'Webhook endpoint',
  description: 'One endpoint, without its secrets.',
  method: 'GET',
  template: endpointTemplate,
  permission: webhookPermission,
  input: { path: webhookEndpointPath },
  answer: {
    status: 200,
    description: 'The endpoint.',
    body: { data: webhookEndpoint, meta: plainMeta },
    example: { success: true, data: endpointExample, meta: plainMetaExample },
  },
  errors: endpointErrors,
  async handle({ webhooks }: WebhookDeps, { path }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    const found = await webhooks.readEndpoint(namedIn(path));
    return { status: 200, body: envelope(found, { request_id: requestId }) };
  },
});
