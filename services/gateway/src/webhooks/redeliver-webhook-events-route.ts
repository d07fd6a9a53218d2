import { plainMeta } from '@inventory/contracts/http/meta';
import {
  webhookEndpointPath,
  webhookRedelivered,
  webhookRedelivery,
} from '@inventory/contracts/http/webhooks';
import { envelope } from '../http/answer.ts';
import { requireEvents, requireOwnProject } from '../http/authorize.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { namedIn } from './webhook-client.ts';
import {
  endpointErrors,
  endpointTemplate,
  type WebhookDeps,
  webhookPermission,
  webhookTag,
} from './webhook-endpoint.ts';

/** POST …/{endpoint_id}/redeliver: sends events again, with the same ids. */
export const redeliverWebhookEventsRoute = publicRoute({
  operationId: 'redeliverWebhookEvents',
  tag: webhookTag,
  summary: 'Send events again',
  description:
    'One event by `event_id`, or everything that was appended from `since` until `until`, now ' +
    'by default: also what the endpoint missed while it was disabled, for as long as ' +
    'the log keeps it. The same ids are sent. A long range ends at `continue_since`.',
  method: 'POST',
  template: `${endpointTemplate}/redeliver`,
  permission: webhookPermission,
  input: { path: webhookEndpointPath, body: webhookRedelivery },
  bodyExample: { since: '2026-01-15T10:00:00.000Z' },
  answer: {
    status: 202,
    description: 'The deliveries are created.',
    body: { data: webhookRedelivered, meta: plainMeta },
    example: {
      success: true,
      data: { redelivered: 12, continue_since: null },
      meta: plainMetaExample,
    },
  },
  errors: [...endpointErrors, 'event_not_found'],
  async handle({ webhooks }: WebhookDeps, { path, body }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    requireEvents(principal);
    const done = await webhooks.redeliverEvents(namedIn(path), body);
    return { status: 202, body: envelope(done, { request_id: requestId }) };
  },
});
