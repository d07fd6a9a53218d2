import { plainMeta } from '@inventory/contracts/http/meta';
import {
  webhookEndpoint,
  webhookEndpointChange,
  webhookEndpointPath,
} from '@inventory/contracts/http/webhooks';
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

/** PATCH …/webhook-endpoints/{endpoint_id}: fields that are absent stay. */
export const changeWebhookEndpointRoute = publicRoute({
  operationId: 'changeWebhookEndpoint',
  tag: webhookTag,
  summary: 'Change a webhook endpoint',
  description:
    'Absent fields stay. An endpoint that is enabled again receives later events; missed ones ' +
    'are sent by redelivery.',
  method: 'PATCH',
  template: endpointTemplate,
  permission: webhookPermission,
  input: { path: webhookEndpointPath, body: webhookEndpointChange },
  bodyExample: { state: 'disabled' },
  answer: {
    status: 200,
    description: 'The endpoint as it is now.',
    body: { data: webhookEndpoint, meta: plainMeta },
    example: {
      success: true,
      data: { ...endpointExample, state: 'disabled', disabled_reason: 'requested' },
      meta: plainMetaExample,
    },
  },
  errors: endpointErrors,
  async handle({ webhooks }: WebhookDeps, { path, body }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    const changed = await webhooks.changeEndpoint(namedIn(path), body);
    return { status: 200, body: envelope(changed, { request_id: requestId }) };
  },
});
