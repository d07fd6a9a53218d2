import { webhookApi } from '@inventory/contracts/internal/webhooks';
import { internalRoute } from '@inventory/http/internal-route';
import { fromIsoTime } from '@inventory/runtime/clock';
import {
  changeEndpoint,
  createEndpoint,
  failEndpoint,
  findEndpoint,
  pingEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
  sendSample,
} from './manage-endpoints.ts';
import type { Webhooks } from './open-webhooks.ts';
import { redeliverEvent, redeliverRange } from './redeliver.ts';
import type { WebhookEndpoint } from './webhook-document.ts';

const endpointRoutes = [
  internalRoute({
    ...webhookApi.createEndpoint,
    async handle(webhooks: Webhooks, { path: { projectId }, body }) {
      const endpoint = await createEndpoint(webhooks, { projectId, ...body });
      return { ...viewOf(endpoint), secret: endpoint.secrets[0]?.secret ?? '' };
    },
  }),
  internalRoute({
    ...webhookApi.listEndpoints,
    handle: async (webhooks: Webhooks, { path: { projectId } }) => ({
      items: (await webhooks.endpoints.listEndpoints(projectId)).map(viewOf),
    }),
  }),
  internalRoute({
    ...webhookApi.readEndpoint,
    handle: async (webhooks: Webhooks, { path }) => viewOf(await findEndpoint(webhooks, path)),
  }),
  internalRoute({
    ...webhookApi.changeEndpoint,
    handle: async (webhooks: Webhooks, { path, body }) =>
      viewOf(await changeEndpoint(webhooks, path, body)),
  }),
  internalRoute({
    ...webhookApi.failEndpoint,
    handle: async (webhooks: Webhooks, { path }) => viewOf(await failEndpoint(webhooks, path)),
  }),
  internalRoute({
    ...webhookApi.deleteEndpoint,
    async handle(webhooks: Webhooks, { path }) {
      await removeEndpoint(webhooks, path);
      return { endpointId: path.endpointId, deleted: true } as const;
    },
  }),
  internalRoute({
    ...webhookApi.rotateSecret,
    async handle(webhooks: Webhooks, { path, body }) {
      const { endpoint, ...rotated } = await rotateEndpointSecret(webhooks, path, body);
      return { ...viewOf(endpoint), ...rotated };
    },
  }),
];

const deliveryRoutes = [
  internalRoute({
    ...webhookApi.sendSample,
    handle: async (webhooks: Webhooks, { path }) => await sendSample(webhooks, path.projectId),
  }),
  internalRoute({
    ...webhookApi.listEventDeliveries,
    async handle(webhooks: Webhooks, { path: { projectId }, query }) {
      const endpoints = await webhooks.endpoints.listEndpoints(projectId);
      const ids = endpoints.map(({ endpointId }) => endpointId);
      return { items: await webhooks.deliveries.findOfEvents(ids, query.eventId) };
    },
  }),
  internalRoute({
    ...webhookApi.sendPing,
    handle: async (webhooks: Webhooks, { path }) => ({
      eventId: await pingEndpoint(webhooks, await findEndpoint(webhooks, path)),
    }),
  }),
  internalRoute({
    ...webhookApi.listDeliveries,
    async handle(webhooks: Webhooks, { path, query }) {
      const endpoint = await findEndpoint(webhooks, path);
      const { state, from, to, before, limit } = query;
      const found = await webhooks.deliveries.listDeliveries(endpoint.endpointId, {
        state,
        before,
        limit: limit + 1,
        fromMs: from === undefined ? undefined : fromIsoTime(from),
        toMs: to === undefined ? undefined : fromIsoTime(to),
      });
      const items = found.slice(0, limit);
      const nextBefore = found.length > limit ? (items.at(-1)?.orderKey ?? null) : null;
      return { items, nextBefore };
    },
  }),
  internalRoute({
    ...webhookApi.redeliverEvents,
    async handle(webhooks: Webhooks, { path, body }) {
      const endpoint = await findEndpoint(webhooks, path);
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
