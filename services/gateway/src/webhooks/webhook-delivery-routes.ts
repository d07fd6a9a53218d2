import {
  webhookDeliveriesQuery,
  webhookDeliveryList,
  webhookEndpointPath,
  webhookPing,
  webhookRedelivered,
  webhookRedelivery,
} from '@inventory/contracts/http/webhooks';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import { requireEvents } from '../http/authorize.ts';
import { dataRoute, partOf } from '../http/data-route.ts';
import { completedEvent } from '../http/openapi/examples.ts';
import { nextPart, sameProject } from '../http/openapi/links.ts';
import { listParts } from '../http/sealed-cursor.ts';
import { endpointTemplate, webhookOperation } from './webhook-endpoint-routes.ts';
import type { WebhookServices } from './webhook-services.ts';

const testWebhookEndpointRoute = dataRoute({
  ...webhookOperation,
  operationId: 'testWebhookEndpoint',
  summary: 'Test a webhook endpoint',
  description:
    'Sends one `webhook.ping`, signed as every event, also where the endpoint is disabled. It ' +
    'is sent once; its result is in the deliveries.',
  method: 'POST',
  template: `${endpointTemplate}/test`,
  input: { path: webhookEndpointPath },
  response: {
    status: 202,
    description: 'The ping is created.',
    data: webhookPing,
    example: { event_id: completedEvent.id },
  },
  errors: ['webhook_endpoint_not_found'],
  async handle({ webhooks }: WebhookServices, { path }, { principal }) {
    requireEvents(principal);
    return { data: await webhooks.call(webhookApi.sendPing, { path }) };
  },
});

const listWebhookDeliveriesRoute = dataRoute({
  ...webhookOperation,
  operationId: 'listWebhookDeliveries',
  summary: 'Deliveries of a webhook endpoint',
  description:
    'Deliveries of the last 30 days, newest first, by state and time of creation. Each attempt has ' +
    'the status of the response and the first KiB of its body, without your secrets.',
  method: 'GET',
  template: `${endpointTemplate}/deliveries`,
  input: { path: webhookEndpointPath, query: webhookDeliveriesQuery },
  response: partOf(
    webhookDeliveryList,
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
    {
      listWebhookDeliveries: {
        ...sameProject,
        endpoint_id: '$request.path.endpoint_id',
        ...nextPart(),
      },
    },
  ),
  errors: ['webhook_endpoint_not_found', 'invalid_cursor'],
  async handle({ webhooks, cursors }: WebhookServices, { path, query: { cursor, ...filter } }) {
    const parts = listParts(cursors, ['webhook-deliveries', path.endpointId]);
    const query = { ...filter, before: parts.begin(cursor) ?? undefined };
    const found = await webhooks.call(webhookApi.listDeliveries, { path, query });
    const { items, nextBefore } = found;
    return { data: { items, pagination: parts.paginationTo(nextBefore) } };
  },
});

const redeliverWebhookEventsRoute = dataRoute({
  ...webhookOperation,
  operationId: 'redeliverWebhookEvents',
  summary: 'Send events again',
  description:
    'One event by `event_id`, or everything that was appended from `since` until `until`, now ' +
    'by default: also what the endpoint missed while it was disabled, for as long as ' +
    'the log keeps it. The same ids are sent. A long range ends at `continue_since`.',
  method: 'POST',
  template: `${endpointTemplate}/redeliver`,
  input: { path: webhookEndpointPath, body: webhookRedelivery },
  bodyExample: { since: '2026-01-15T10:00:00.000Z' },
  response: {
    status: 202,
    description: 'The deliveries are created.',
    data: webhookRedelivered,
    example: { redelivered: 12, continue_since: null },
  },
  errors: ['webhook_endpoint_not_found', 'event_not_found'],
  async handle({ webhooks }: WebhookServices, { path, body }, { principal }) {
    requireEvents(principal);
    return { data: await webhooks.call(webhookApi.redeliverEvents, { path, body }) };
  },
});

/** What is sent to an endpoint, in the order of the reference. */
export const webhookDeliveryRoutes = [
  testWebhookEndpointRoute,
  listWebhookDeliveriesRoute,
  redeliverWebhookEventsRoute,
];
