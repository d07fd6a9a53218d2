import type { webhookEndpointPath } from '@inventory/contracts/http/webhooks';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import { internalRoute } from '@inventory/http/internal-route';
import { fromIsoTime } from '@inventory/runtime/clock';
import type { z } from 'zod';
import {
  changeEndpoint,
  createEndpoint,
  findEndpoint,
  type ManageEndpointsDeps,
  pingEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
  sendSample,
} from './manage-endpoints.ts';
import { redeliverEvent, redeliverRange } from './redeliver.ts';
import type { WebhookEndpoint } from './webhook-document.ts';

const endpointRoutes = [
  internalRoute({
    ...webhookApi.createEndpoint,
    async handle(webhooks: ManageEndpointsDeps, { path: { project_id: projectId }, body }) {
      const endpoint = await createEndpoint(webhooks, { projectId, ...body });
      return { ...viewOf(endpoint), secret: endpoint.secrets[0]?.secret ?? '' };
    },
  }),
  internalRoute({
    ...webhookApi.listEndpoints,
    handle: async (webhooks: ManageEndpointsDeps, { path: { project_id: projectId } }) => ({
      items: (await webhooks.endpoints.listEndpoints(projectId)).map(viewOf),
    }),
  }),
  internalRoute({
    ...webhookApi.readEndpoint,
    handle: async (webhooks: ManageEndpointsDeps, { path: named }) =>
      viewOf(await findEndpoint(webhooks, fromPath(named))),
  }),
  internalRoute({
    ...webhookApi.changeEndpoint,
    handle: async (webhooks: ManageEndpointsDeps, { path: named, body }) =>
      viewOf(await changeEndpoint(webhooks, fromPath(named), body)),
  }),
  internalRoute({
    ...webhookApi.deleteEndpoint,
    async handle(webhooks: ManageEndpointsDeps, { path: named }) {
      await removeEndpoint(webhooks, fromPath(named));
      return { endpointId: named.endpoint_id, deleted: true } as const;
    },
  }),
  internalRoute({
    ...webhookApi.rotateSecret,
    async handle(webhooks: ManageEndpointsDeps, { path: named, body }) {
      const { endpoint, ...rotated } = await rotateEndpointSecret(webhooks, fromPath(named), body);
      return { ...viewOf(endpoint), ...rotated };
    },
  }),
];

const deliveryRoutes = [
  internalRoute({
    ...webhookApi.sendSample,
    handle: async (webhooks: ManageEndpointsDeps, { path }) =>
      await sendSample(webhooks, path.project_id),
  }),
  internalRoute({
    ...webhookApi.listEventDeliveries,
    async handle(webhooks: ManageEndpointsDeps, { path: { project_id: projectId }, query }) {
      const endpoints = await webhooks.endpoints.listEndpoints(projectId);
      const ids = endpoints.map(({ endpointId }) => endpointId);
      return { items: await webhooks.deliveries.findOfEvents(ids, query.event_id) };
    },
  }),
  internalRoute({
    ...webhookApi.sendPing,
    handle: async (webhooks: ManageEndpointsDeps, { path: named }) => ({
      eventId: await pingEndpoint(webhooks, await findEndpoint(webhooks, fromPath(named))),
    }),
  }),
  internalRoute({
    ...webhookApi.listDeliveries,
    async handle(webhooks: ManageEndpointsDeps, { path: named, query }) {
      const endpoint = await findEndpoint(webhooks, fromPath(named));
      const { state, from, to, before, limit } = query;
      const found = await webhooks.deliveries.listDeliveries(endpoint.endpointId, {
        state,
        before,
        limit: limit + 1,
        fromMs: from === undefined ? undefined : fromIsoTime(from),
        toMs: to === undefined ? undefined : fromIsoTime(to),
      });
      const items = found.slice(0, limit);
      const nextBefore = found.length > limit ? (items.at(-1)?.place ?? null) : null;
      return { items, nextBefore };
    },
  }),
  internalRoute({
    ...webhookApi.redeliverEvents,
    async handle(webhooks: ManageEndpointsDeps, { path: named, body }) {
      const endpoint = await findEndpoint(webhooks, fromPath(named));
      if ('eventId' in body) return await redeliverEvent(webhooks, endpoint, body.eventId);
      const { sinceMs, untilMs = webhooks.clock.now() } = body;
      return await redeliverRange(webhooks, endpoint, { sinceMs, untilMs });
    },
  }),
];

/** Webhook routes that the gateway calls for customers and operators. */
export const webhookApiRoutes = [...endpointRoutes, ...deliveryRoutes];

/** What is shown of an endpoint. */
const viewOf = (endpoint: WebhookEndpoint) => ({
  ...endpoint,
  failingSinceMs: endpoint.health.failingSinceMs,
});

type EndpointPath = z.output<typeof webhookEndpointPath>;

function fromPath({ project_id: projectId, endpoint_id: endpointId }: EndpointPath) {
  return { projectId, endpointId };
}
