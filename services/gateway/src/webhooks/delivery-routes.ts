import type { WebhookEndpointId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { envelope } from '../http/envelope.ts';
import { requireEvents, requireOwnProject } from '../http/project-access.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import {
  listWebhookDeliveries,
  redeliverWebhookEvents,
  testWebhookEndpoint,
} from './delivery-endpoints.ts';
import { namedIn, type WebhookClient } from './webhook-client.ts';

interface DeliveryRoutesDeps {
  readonly webhooks: WebhookClient;
  readonly cursors: CursorSealer;
}

/** …/webhook-endpoints/{endpoint_id}/…: what was sent to one, and what is to be sent again. */
export function webhookDeliveryRoutes({ webhooks, cursors }: DeliveryRoutesDeps): Route[] {
  return [
    defineRoute({
      ...testWebhookEndpoint,
      async handle({ requestId, authority }, { path }) {
        requireOwnProject(authority, path.project_id);
        requireEvents(authority);
        const event_id = await webhooks.ping(namedIn(path));
        return { status: 202, body: envelope({ event_id }, { request_id: requestId }) };
      },
    }),
    listDeliveriesRoute({ webhooks, cursors }),
    defineRoute({
      ...redeliverWebhookEvents,
      async handle({ requestId, authority }, { path, body }) {
        requireOwnProject(authority, path.project_id);
        requireEvents(authority);
        const done = await webhooks.redeliver(namedIn(path), body);
        return { status: 202, body: envelope(done, { request_id: requestId }) };
      },
    }),
  ];
}

function listDeliveriesRoute({ webhooks, cursors }: DeliveryRoutesDeps): Route {
  const bindingOf = (id: WebhookEndpointId) => ['webhook-deliveries', id];

  function open(cursor: string | undefined, id: WebhookEndpointId): string | undefined {
    if (cursor === undefined) return undefined;
    const before = cursors.open(cursor, bindingOf(id));
    if (before === null) throw new Refused({ code: 'invalid_cursor' });
    return before;
  }

  return defineRoute({
    ...listWebhookDeliveries,
    async handle({ requestId, authority }, { path, query }) {
      requireOwnProject(authority, path.project_id);
      const { state, limit } = query;
      const before = open(query.cursor, path.endpoint_id);
      const part = { state, limit, before };
      const { items, next_before } = await webhooks.deliveries(namedIn(path), part);
      const next_cursor = next_before && cursors.seal(next_before, bindingOf(path.endpoint_id));
      const pagination = { has_more: next_cursor !== null, next_cursor };
      return { status: 200, body: envelope({ items, pagination }, { request_id: requestId }) };
    },
  });
}
