import { plainMeta } from '@inventory/contracts/http/meta';
import { webhookEndpointPath, webhookPing } from '@inventory/contracts/http/webhooks';
import { envelope } from '../http/answer.ts';
import { requireEvents, requireOwnProject } from '../http/authorize.ts';
import { completedEvent, plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { namedIn } from './webhook-client.ts';
import {
  endpointErrors,
  endpointTemplate,
  type WebhookDeps,
  webhookPermission,
  webhookTag,
} from './webhook-endpoint.ts';

/** POST …/{endpoint_id}/test: sends one `webhook.ping`. */
export const testWebhookEndpointRoute = publicRoute({
  operationId: 'testWebhookEndpoint',
  tag: webhookTag,
  summary: 'Test a webhook endpoint',
  description:
    'Sends one `webhook.ping`, signed as every event, also where the endpoint is disabled. It ' +
    'is sent once; its result is in the deliveries.',
  method: 'POST',
  template: `${endpointTemplate}/test`,
  permission: webhookPermission,
  input: { path: webhookEndpointPath },
  answer: {
    status: 202,
    description: 'The ping is created.',
    body: { data: webhookPing, meta: plainMeta },
    example: { success: true, data: { event_id: completedEvent.id }, meta: plainMetaExample },
  },
  errors: endpointErrors,
  async handle({ webhooks }: WebhookDeps, { path }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    requireEvents(principal);
    const event_id = await webhooks.sendPing(namedIn(path));
    return { status: 202, body: envelope({ event_id }, { request_id: requestId }) };
  },
});
