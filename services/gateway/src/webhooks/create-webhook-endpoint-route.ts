import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import { newWebhookEndpoint, webhookEndpointWithSecret } from '@inventory/contracts/http/webhooks';
import { envelope } from '../http/answer.ts';
import { requireEvents, requireOwnProject } from '../http/authorize.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import {
  endpointExample,
  endpointsTemplate,
  secretExample,
  type WebhookDeps,
  webhookPermission,
  webhookTag,
} from './webhook-endpoint.ts';

const continuing = [
  'readWebhookEndpoint',
  'changeWebhookEndpoint',
  'rotateWebhookSecret',
  'testWebhookEndpoint',
  'redeliverWebhookEvents',
  'listWebhookDeliveries',
  'deleteWebhookEndpoint',
];

/** POST …/webhook-endpoints: the Project's events are sent to a URL from now on. */
export const createWebhookEndpointRoute = publicRoute({
  operationId: 'createWebhookEndpoint',
  tag: webhookTag,
  summary: 'New webhook endpoint',
  description:
    'Sends the events of these types to the URL from now on, signed by the Standard Webhooks ' +
    'scheme with the `secret`, which is shown in this response only. The URL must be https and lead ' +
    'to public addresses. A Project can have ten endpoints.',
  method: 'POST',
  template: endpointsTemplate,
  permission: webhookPermission,
  input: { path: projectPath, body: newWebhookEndpoint },
  bodyExample: { url: endpointExample.url, types: endpointExample.types },
  answer: {
    status: 201,
    description: 'The endpoint with its secret.',
    links: Object.fromEntries(
      continuing.map((operationId) => [
        operationId,
        {
          project_id: '$response.body#/data/project_id',
          endpoint_id: '$response.body#/data/endpoint_id',
        },
      ]),
    ),
    body: { data: webhookEndpointWithSecret, meta: plainMeta },
    example: {
      success: true,
      data: { ...endpointExample, secret: secretExample },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found', 'webhook_endpoint_limit_reached'],
  async handle({ webhooks }: WebhookDeps, { path, body }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    requireEvents(principal);
    const created = await webhooks.createEndpoint(principal, body);
    return { status: 201, body: envelope(created, { request_id: requestId }) };
  },
});
