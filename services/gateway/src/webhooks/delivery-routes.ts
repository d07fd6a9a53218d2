import { plainMeta } from '@inventory/contracts/http/meta';
import {
  webhookDeliveriesQuery,
  webhookDeliveryList,
  webhookEndpointPath,
  webhookPing,
  webhookRedelivered,
  webhookRedelivery,
} from '@inventory/contracts/http/webhooks';
import type { WebhookEndpointId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { envelope } from '../http/envelope.ts';
import { completedEvent, exampleCursor, plainMetaExample } from '../http/openapi/examples.ts';
import { requireEvents, requireOwnProject } from '../http/project-access.ts';
import { publicRoute } from '../http/public-route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import { namedIn, type WebhookClient } from './webhook-client.ts';

export interface DeliveryRoutesDeps {
  readonly webhooks: WebhookClient;
  readonly cursors: CursorSealer;
}

const tag = 'Webhooks';
const permission = 'customer.webhooks.manage.v1';
const one = '/v2/projects/{project_id}/webhook-endpoints/{endpoint_id}';
const notFound = ['project_not_found', 'webhook_endpoint_not_found'] as const;
const meta = plainMetaExample;

/** What was sent to an endpoint, and what is to be sent again. */
export const deliveryRoutes = [
  publicRoute({
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
    async handle({ webhooks }: DeliveryRoutesDeps, { path }, { requestId, authority }) {
      requireOwnProject(authority, path.project_id);
      requireEvents(authority);
      const event_id = await webhooks.ping(namedIn(path));
      return { status: 202, body: envelope({ event_id }, { request_id: requestId }) };
    },
  }),
  publicRoute({
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
    async handle(
      { webhooks, cursors }: DeliveryRoutesDeps,
      { path, query },
      { requestId, authority },
    ) {
      requireOwnProject(authority, path.project_id);
      const { state, limit } = query;
      const before = openCursor(cursors, path.endpoint_id, query.cursor);
      const part = { state, limit, before };
      const { items, next_before } = await webhooks.deliveries(namedIn(path), part);
      const next_cursor = next_before && cursors.seal(next_before, bindingOf(path.endpoint_id));
      const pagination = { has_more: next_cursor !== null, next_cursor };
      return { status: 200, body: envelope({ items, pagination }, { request_id: requestId }) };
    },
  }),
  publicRoute({
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
    async handle({ webhooks }: DeliveryRoutesDeps, { path, body }, { requestId, authority }) {
      requireOwnProject(authority, path.project_id);
      requireEvents(authority);
      const done = await webhooks.redeliver(namedIn(path), body);
      return { status: 202, body: envelope(done, { request_id: requestId }) };
    },
  }),
];

function bindingOf(id: WebhookEndpointId): string[] {
  return ['webhook-deliveries', id];
}

function openCursor(
  cursors: CursorSealer,
  id: WebhookEndpointId,
  cursor?: string,
): string | undefined {
  if (cursor === undefined) return undefined;
  const before = cursors.open(cursor, bindingOf(id));
  if (before === null) throw new Refused({ code: 'invalid_cursor' });
  return before;
}
