import { projectPath } from '@inventory/contracts/http/parameters';
import { watchTest } from '@inventory/contracts/http/watches';
import {
  deletedWebhookEndpoint,
  webhookEndpoint,
  webhookEndpointChange,
  webhookEndpointPath,
  webhookEndpointWithSecret,
  webhookPing,
  webhookRedelivered,
  webhookRedelivery,
} from '@inventory/contracts/http/webhooks';
import {
  allWebhookEndpoints,
  eventDeliveries,
  eventDeliveriesPath,
  eventDeliveriesQuery,
  internalDeliveriesQuery,
  internalDeliveryPage,
  keyedWebhookRotation,
  newWebhookEndpointOfAccount,
  rotatedWebhookSecret,
  samplePath,
  webhookPaths,
} from '@inventory/contracts/internal/webhooks';
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

const path = webhookEndpointPath;

const endpointRoutes = [
  internalRoute({
    method: 'POST',
    template: webhookPaths.endpoints,
    callers: ['gateway'],
    input: { path: projectPath, body: newWebhookEndpointOfAccount },
    status: 201,
    answer: webhookEndpointWithSecret,
    async handle(webhooks: ManageEndpointsDeps, { path: { project_id: projectId }, body }) {
      const { account_id: accountId, ...wanted } = body;
      return toWireWithSecret(await createEndpoint(webhooks, { projectId, accountId, ...wanted }));
    },
  }),
  internalRoute({
    method: 'GET',
    template: webhookPaths.endpoints,
    callers: ['gateway'],
    input: { path: projectPath },
    answer: allWebhookEndpoints,
    handle: async (webhooks: ManageEndpointsDeps, { path: { project_id: projectId } }) => ({
      items: (await webhooks.endpoints.listEndpoints(projectId)).map(toWireEndpoint),
    }),
  }),
  internalRoute({
    method: 'GET',
    template: webhookPaths.endpoint,
    callers: ['gateway'],
    input: { path },
    answer: webhookEndpoint,
    handle: async (webhooks: ManageEndpointsDeps, { path: named }) =>
      toWireEndpoint(await findEndpoint(webhooks, fromPath(named))),
  }),
  internalRoute({
    method: 'PUT',
    template: webhookPaths.endpoint,
    callers: ['gateway'],
    input: { path, body: webhookEndpointChange },
    answer: webhookEndpoint,
    handle: async (webhooks: ManageEndpointsDeps, { path: named, body }) =>
      toWireEndpoint(await changeEndpoint(webhooks, fromPath(named), body)),
  }),
  internalRoute({
    method: 'DELETE',
    template: webhookPaths.endpoint,
    callers: ['gateway'],
    input: { path },
    answer: deletedWebhookEndpoint,
    async handle(webhooks: ManageEndpointsDeps, { path: named }) {
      await removeEndpoint(webhooks, fromPath(named));
      return { endpoint_id: named.endpoint_id, deleted: true } as const;
    },
  }),
  internalRoute({
    method: 'POST',
    template: webhookPaths.rotateSecret,
    callers: ['gateway'],
    input: { path, body: keyedWebhookRotation },
    answer: rotatedWebhookSecret,
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
    method: 'POST',
    template: samplePath,
    callers: ['gateway'],
    input: { path: projectPath },
    status: 201,
    answer: watchTest,
    async handle(webhooks: ManageEndpointsDeps, { path: { project_id: projectId } }) {
      const { eventId, endpointIds } = await sendSample(webhooks, projectId);
      return { event_id: eventId, endpoints: endpointIds };
    },
  }),
  internalRoute({
    method: 'GET',
    template: eventDeliveriesPath,
    callers: ['gateway'],
    input: { path: projectPath, query: eventDeliveriesQuery },
    answer: eventDeliveries,
    async handle(webhooks: ManageEndpointsDeps, { path: { project_id: projectId }, query }) {
      const endpoints = await webhooks.endpoints.listEndpoints(projectId);
      const ids = endpoints.map(({ id }) => id);
      const found = await webhooks.deliveries.findOfEvents(ids, query.event_id);
      return {
        items: found.map(({ endpointId, eventId, state }) => ({
          event_id: eventId,
          endpoint_id: endpointId,
          state,
        })),
      };
    },
  }),
  internalRoute({
    method: 'POST',
    template: webhookPaths.test,
    callers: ['gateway'],
    input: { path },
    answer: webhookPing,
    handle: async (webhooks: ManageEndpointsDeps, { path: named }) => ({
      event_id: await pingEndpoint(webhooks, await findEndpoint(webhooks, fromPath(named))),
    }),
  }),
  internalRoute({
    method: 'GET',
    template: webhookPaths.deliveries,
    callers: ['gateway'],
    input: { path, query: internalDeliveriesQuery },
    answer: internalDeliveryPage,
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
        items: shown.map(({ delivery }) => toWireDelivery(delivery)),
        next_before: found.length > limit ? (shown.at(-1)?.place ?? null) : null,
      };
    },
  }),
  internalRoute({
    method: 'POST',
    template: webhookPaths.redeliver,
    callers: ['gateway'],
    input: { path, body: webhookRedelivery },
    answer: webhookRedelivered,
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
