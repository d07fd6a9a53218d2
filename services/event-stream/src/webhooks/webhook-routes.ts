import type { webhookEndpointPath } from '@inventory/contracts/http/webhooks';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import { internalRoute } from '@inventory/http/internal-route';
import { fromIsoTime } from '@inventory/runtime/clock';
import type { z } from 'zod';
import {
  toWireDelivery,
  toWireEndpoint,
  toWireRedelivered,
  toWireWithSecret,
} from './convert-webhooks.ts';
import {
  changeEndpoint,
  createEndpoint,
  findEndpoint,
  type ManageEndpointsDeps,
  pingEndpoint,
  removeEndpoint,
  rotateSecret,
  sendSample,
} from './manage-endpoints.ts';
import { redeliverEvent, redeliverRange } from './redeliver.ts';

const endpointRoutes = [
  internalRoute({
    ...webhookApi.createEndpoint,
    async handle(webhooks: ManageEndpointsDeps, { path: { project_id: projectId }, body }) {
      const { account_id: accountId, ...wanted } = body;
      return toWireWithSecret(await createEndpoint(webhooks, { projectId, accountId, ...wanted }));
    },
  }),
  internalRoute({
    ...webhookApi.listEndpoints,
    handle: async (webhooks: ManageEndpointsDeps, { path: { project_id: projectId } }) => ({
      items: (await webhooks.endpoints.listEndpoints(projectId)).map(toWireEndpoint),
    }),
  }),
  internalRoute({
    ...webhookApi.readEndpoint,
    handle: async (webhooks: ManageEndpointsDeps, { path: named }) =>
      toWireEndpoint(await findEndpoint(webhooks, fromPath(named))),
  }),
  internalRoute({
    ...webhookApi.changeEndpoint,
    handle: async (webhooks: ManageEndpointsDeps, { path: named, body }) =>
      toWireEndpoint(await changeEndpoint(webhooks, fromPath(named), body)),
  }),
  internalRoute({
    ...webhookApi.deleteEndpoint,
    async handle(webhooks: ManageEndpointsDeps, { path: named }) {
      await removeEndpoint(webhooks, fromPath(named));
      return { endpoint_id: named.endpoint_id, deleted: true } as const;
    },
  }),
  internalRoute({
    ...webhookApi.rotateSecret,
    async handle(webhooks: ManageEndpointsDeps, { path: named, body }) {
      const { endpoint, secret, isRepeated } = await rotateSecret(webhooks, fromPath(named), {
        key: body.idempotency_key ?? null,
        overlapMs: body.overlap_seconds * 1_000,
        isForced: body.force,
      });
      return { ...toWireEndpoint(endpoint), secret, replayed: isRepeated };
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
      const ids = endpoints.map(({ id }) => id);
      return { items: await webhooks.deliveries.findOfEvents(ids, query.event_id) };
    },
  }),
  internalRoute({
    ...webhookApi.sendPing,
    handle: async (webhooks: ManageEndpointsDeps, { path: named }) => ({
      event_id: await pingEndpoint(webhooks, await findEndpoint(webhooks, fromPath(named))),
    }),
  }),
  internalRoute({
    ...webhookApi.listDeliveries,
    async handle(webhooks: ManageEndpointsDeps, { path: named, query }) {
      const endpoint = await findEndpoint(webhooks, fromPath(named));
      const { state, from, to, before, limit } = query;
      const found = await webhooks.deliveries.listDeliveries(endpoint.id, {
        ...{ state, before, limit: limit + 1 },
        fromMs: from === undefined ? undefined : fromIsoTime(from),
        toMs: to === undefined ? undefined : fromIsoTime(to),
      });
      const shown = found.slice(0, limit);
      return {
        items: shown.map(toWireDelivery),
        next_before: found.length > limit ? (shown.at(-1)?.place ?? null) : null,
      };
    },
  }),
  internalRoute({
    ...webhookApi.redeliverEvents,
    async handle(webhooks: ManageEndpointsDeps, { path: named, body }) {
      const endpoint = await findEndpoint(webhooks, fromPath(named));
      const done =
        'event_id' in body
          ? await redeliverEvent(webhooks, endpoint, body.event_id)
          : await redeliverRange(webhooks, endpoint, {
              sinceMs: fromIsoTime(body.since),
              untilMs: body.until === undefined ? webhooks.clock.now() : fromIsoTime(body.until),
            });
      return toWireRedelivered(done);
    },
  }),
];

/** Webhook routes that the gateway calls for customers and operators. */
export const webhookRoutes = [...endpointRoutes, ...deliveryRoutes];

type EndpointPath = z.output<typeof webhookEndpointPath>;

function fromPath({ project_id: projectId, endpoint_id: endpointId }: EndpointPath) {
  return { projectId, endpointId };
}
