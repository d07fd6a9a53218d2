import { plainMeta } from '@inventory/contracts/http/meta';
import {
  webhookDeliveriesQuery,
  webhookDeliveryList,
  webhookEndpointPath,
  webhookPing,
  webhookRedelivered,
  webhookRedelivery,
} from '@inventory/contracts/http/webhooks';
import { defineEndpoint } from '../http/endpoint.ts';
import { completedEvent, exampleCursor, plainMetaExample } from '../http/openapi/examples.ts';

const tag = 'Webhooks';
const permission = 'customer.webhooks.manage.v1';
const one = '/v2/projects/{project_id}/webhook-endpoints/{endpoint_id}';
const notFound = ['project_not_found', 'webhook_endpoint_not_found'] as const;
const meta = plainMetaExample;

export const testWebhookEndpoint = defineEndpoint({
  operationId: 'testWebhookEndpoint',
  tag,
  summary: 'Test a webhook endpoint',
  description:
    'Sends one `webhook.ping`, signed as every event, also where the endpoint is disabled. It is ' +
    'tried once; the deliveries tell how it went.',
  method: 'POST',
  template: `${one}/test`,
  permission,
  input: { path: webhookEndpointPath },
  answer: {
    status: 202,
    description: 'It is on its way.',
    body: { data: webhookPing, meta: plainMeta },
    example: { success: true, data: { event_id: completedEvent.id }, meta },
  },
  errors: notFound,
});

export const listWebhookDeliveries = defineEndpoint({
  operationId: 'listWebhookDeliveries',
  tag,
  summary: 'Deliveries of a webhook endpoint',
  description:
    'What was sent in the last 30 days and how it went, newest first. Answers of the endpoint are ' +
    'kept as status and time, never as contents.',
  method: 'GET',
  template: `${one}/deliveries`,
  permission,
  input: { path: webhookEndpointPath, query: webhookDeliveriesQuery },
  answer: {
    status: 200,
    description: 'One part of the list.',
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
              { at: '2026-01-15T10:00:21.300Z', status: 503, duration_ms: 180, error: 'status' },
            ],
          },
        ],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta,
    },
  },
  errors: [...notFound, 'invalid_cursor'],
});

export const redeliverWebhookEvents = defineEndpoint({
  operationId: 'redeliverWebhookEvents',
  tag,
  summary: 'Send events again',
  description:
    'One event by `event_id`, or everything that was appended from `since` until `until`, now ' +
    'unless told otherwise: also what the endpoint missed while it was disabled, for as long as ' +
    'the log keeps it. The same ids are sent. A long range ends at `continue_since`.',
  method: 'POST',
  template: `${one}/redeliver`,
  permission,
  input: { path: webhookEndpointPath, body: webhookRedelivery },
  bodyExample: { since: '2026-01-15T10:00:00.000Z' },
  answer: {
    status: 202,
    description: 'They are on their way.',
    body: { data: webhookRedelivered, meta: plainMeta },
    example: { success: true, data: { redelivered: 12, continue_since: null }, meta },
  },
  errors: [...notFound, 'event_not_found'],
});
