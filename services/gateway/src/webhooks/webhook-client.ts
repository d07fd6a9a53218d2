import { watchTest } from '@inventory/contracts/http/watches';
import {
  type newWebhookEndpoint,
  type WebhookEndpointView,
  type WebhookEndpointWithSecret,
  type WebhookRedelivered,
  type WebhookRedelivery,
  webhookEndpoint,
  type webhookEndpointChange,
  type webhookEndpointPath,
  webhookEndpointWithSecret,
  webhookPing,
  webhookRedelivered,
  type webhookRotation,
} from '@inventory/contracts/http/webhooks';
import type { AccountId, EventId, ProjectId } from '@inventory/contracts/ids';
import {
  allWebhookEndpoints,
  eventDeliveries,
  eventDeliveriesPath,
  type InternalDeliveryPage,
  internalDeliveryPage,
  rotatedWebhookSecret,
  samplePath,
  webhookPaths,
  webhookRefusals,
} from '@inventory/contracts/internal/webhooks';
import type { InternalCall, InternalClient } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';
import { z } from 'zod';

type NamedEndpoint = z.output<typeof webhookEndpointPath>;

export interface DeliveriesPart {
  readonly state?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Position of the last item of the previous part. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface WantedRotation extends z.output<typeof webhookRotation> {
  /** The Idempotency-Key. */
  readonly key: string | undefined;
}

export interface RotatedSecret {
  readonly endpoint: WebhookEndpointWithSecret;
  /** The header of an answer under a key that was used before; else empty. */
  readonly replayedHeader: Readonly<Record<string, string>>;
}

/** A Project's webhook endpoints. Rejects with Refused or ServiceUnreachable. */
export interface WebhookClient {
  createEndpoint(
    owner: { readonly projectId: ProjectId; readonly accountId: AccountId },
    wanted: z.output<typeof newWebhookEndpoint>,
  ): Promise<WebhookEndpointWithSecret>;
  /** Oldest first. */
  listEndpoints(projectId: ProjectId): Promise<WebhookEndpointView[]>;
  readEndpoint(named: NamedEndpoint): Promise<WebhookEndpointView>;
  changeEndpoint(
    named: NamedEndpoint,
    change: z.output<typeof webhookEndpointChange>,
  ): Promise<WebhookEndpointView>;
  deleteEndpoint(named: NamedEndpoint): Promise<void>;
  rotateSecret(named: NamedEndpoint, wanted: WantedRotation): Promise<RotatedSecret>;
  sendPing(named: NamedEndpoint): Promise<EventId>;
  listDeliveries(named: NamedEndpoint, part: DeliveriesPart): Promise<InternalDeliveryPage>;
  redeliverEvents(named: NamedEndpoint, wanted: WebhookRedelivery): Promise<WebhookRedelivered>;
  /** Sends a signed sample of a completed refresh to the subscribed endpoints of a Project. */
  sendSample(projectId: ProjectId): Promise<z.output<typeof watchTest>>;
  /** Of at most 100 events, to every endpoint of the Project. */
  listEventDeliveries(
    projectId: ProjectId,
    events: readonly EventId[],
  ): Promise<z.output<typeof eventDeliveries>['items']>;
}

export function createWebhookClient(client: Pick<InternalClient, 'json'>): WebhookClient {
  const send = <Schema extends z.ZodType>(schema: Schema, call: InternalCall) =>
    client.json(schema, { ...call, refusals: webhookRefusals });
  const post = <Schema extends z.ZodType>(schema: Schema, path: string, body: unknown = {}) =>
    send(schema, { method: 'POST', path, body });

  return {
    createEndpoint: ({ projectId, accountId }, wanted) =>
      post(webhookEndpointWithSecret, endpointsPath(projectId), {
        ...wanted,
        account_id: accountId,
      }),
    listEndpoints: async (projectId) =>
      (await send(allWebhookEndpoints, { method: 'GET', path: endpointsPath(projectId) })).items,
    readEndpoint: (named) =>
      send(webhookEndpoint, { method: 'GET', path: pathOf(webhookPaths.endpoint, named) }),
    changeEndpoint: (named, body) =>
      send(webhookEndpoint, { method: 'PUT', path: pathOf(webhookPaths.endpoint, named), body }),
    async deleteEndpoint(named) {
      await send(z.object({}), { method: 'DELETE', path: pathOf(webhookPaths.endpoint, named) });
    },
    async rotateSecret(named, { key, overlap_seconds, force }) {
      const { replayed, ...endpoint } = await post(
        rotatedWebhookSecret,
        pathOf(webhookPaths.rotateSecret, named),
        {
          overlap_seconds,
          ...(force && { force }),
          ...(key !== undefined && { idempotency_key: key }),
        },
      );
      return { endpoint, replayedHeader: replayed ? { 'Idempotency-Replayed': 'true' } : {} };
    },
    sendPing: async (named) => (await post(webhookPing, pathOf(webhookPaths.test, named))).event_id,
    listDeliveries: (named, part) =>
      send(internalDeliveryPage, {
        method: 'GET',
        path: pathOf(webhookPaths.deliveries, named),
        query: { ...part },
      }),
    redeliverEvents: (named, wanted) =>
      post(webhookRedelivered, pathOf(webhookPaths.redeliver, named), wanted),
    sendSample: (projectId) => post(watchTest, pathOf(samplePath, { project_id: projectId })),
    async listEventDeliveries(projectId, events) {
      if (events.length === 0) return [];
      const path = pathOf(eventDeliveriesPath, { project_id: projectId });
      return (await send(eventDeliveries, { method: 'GET', path, query: { event_id: events } }))
        .items;
    },
  };
}

function endpointsPath(projectId: ProjectId): string {
  return pathOf(webhookPaths.endpoints, { project_id: projectId });
}
