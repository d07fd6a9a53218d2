import { plainMeta } from '@inventory/contracts/http/meta';
import {
  webhookDeliveriesQuery,
  webhookDeliveryList,
  webhookEndpointPath,
} from '@inventory/contracts/http/webhooks';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { completedEvent, exampleCursor, plainMetaExample } from '../http/openapi/examples.ts';
import { nextPart, sameProject } from '../http/openapi/links.ts';
import { publicRoute } from '../http/public-route.ts';
import { openOrRefuse } from '../http/sealed-cursor.ts';
import { namedIn } from './webhook-client.ts';
import {
  endpointErrors,
  endpointTemplate,
  type WebhookDeps,
  webhookPermission,
  webhookTag,
} from './webhook-endpoint.ts';

/** GET …/{endpoint_id}/deliveries: deliveries of the last 30 days. */
export const listWebhookDeliveriesRoute = publicRoute({
  operationId: 'listWebhookDeliveries',
  tag: webhookTag,
  summary: 'Deliveries of a webhook endpoint',
  description:
    'Deliveries of the last 30 days, newest first, by state and time of creation. Each attempt has ' +
    'the status of the response and the first KiB of its body, without your secrets.',
  method: 'GET',
  template: `${endpointTemplate}/deliveries`,
  permission: webhookPermission,
  input: { path: webhookEndpointPath, query: webhookDeliveriesQuery },
  answer: {
    status: 200,
    description: 'One part of the list.',
    links: {
      listWebhookDeliveries: {
        ...sameProject,
        endpoint_id: '$request.path.endpoint_id',
        ...nextPart(),
      },
    },
    body: { data: webhookDeliveryList, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [
          {
            event_id: completedEvent.id,
            type: 'inventory.refresh.completed',
            state: 'pending',
            failure: null,
            created_at: '2026-01-15T10:00:21.100Z',
            next_attempt_at: '2026-01-15T10:00:26.900Z',
            attempts_total: 1,
            attempts: [
              {
                at: '2026-01-15T10:00:21.300Z',
                status: 503,
                duration_ms: 180,
                error: 'status',
                response_body: '{"error":"maintenance"}',
              },
            ],
          },
        ],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
  },
  errors: [...endpointErrors, 'invalid_cursor'],
  async handle({ webhooks, cursors }: WebhookDeps, { path, query }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    const { state, from, to, limit } = query;
    const binding = ['webhook-deliveries', path.endpoint_id];
    const before =
      query.cursor === undefined ? undefined : openOrRefuse(cursors, query.cursor, binding);
    const part = { state, from, to, limit, before };
    const { items, next_before } = await webhooks.listDeliveries(namedIn(path), part);
    const next_cursor = next_before && cursors.seal(next_before, binding);
    const pagination = { has_more: next_cursor !== null, next_cursor };
    return { status: 200, body: envelope({ items, pagination }, { request_id: requestId }) };
  },
});
