import { watchTest } from '@inventory/contracts/http/watches';
import {
  type newWebhookEndpoint,
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

export type WebhookClient = ReturnType<typeof createWebhookClient>;

/** A Project's webhook endpoints. Rejects with Refused or ServiceUnreachable. */
export function createWebhookClient(client: Pick<InternalClient, 'json'>) {
  const send = <Schema extends z.ZodType>(schema: Schema, call: InternalCall) =>
    client.json(schema, { ...call, refusals: webhookRefusals });
  const post = <Schema extends z.ZodType>(schema: Schema, path: string, body: unknown = {}) =>
    send(schema, { method: 'POST', path, body });

  return {
    createEndpoint: (
      { projectId, accountId }: { readonly projectId: ProjectId; readonly accountId: AccountId },
      wanted: z.output<typeof newWebhookEndpoint>,
    ) =>
      post(webhookEndpointWithSecret, endpointsPath(projectId), {
        ...wanted,
        account_id: accountId,
      }),
    /** Oldest first. */
    listEndpoints: async (projectId: ProjectId) =>
      (await send(allWebhookEndpoints, { method: 'GET', path: endpointsPath(projectId) })).items,
    readEndpoint: (named: NamedEndpoint) =>
      send(webhookEndpoint, { method: 'GET', path: pathOf(webhookPaths.endpoint, named) }),
    changeEndpoint: (named: NamedEndpoint, body: z.output<typeof webhookEndpointChange>) =>
      send(webhookEndpoint, { method: 'PUT', path: pathOf(webhookPaths.endpoint, named), body }),
    async deleteEndpoint(named: NamedEndpoint) {
      await send(z.object({}), { method: 'DELETE', path: pathOf(webhookPaths.endpoint, named) });
    },
    /** With the header of an answer under a key that was used before; else with none. */
    async rotateSecret(named: NamedEndpoint, { key, overlap_seconds, force }: WantedRotation) {
      const { replayed, ...endpoint } = await post(
        rotatedWebhookSecret,
        pathOf(webhookPaths.rotateSecret, named),
        {
          overlap_seconds,
          ...(force && { force }),
          ...(key !== undefined && { idempotency_key: key }),
        },
      );
      const replayedHeader: Record<string, string> = replayed
        ? { 'Idempotency-Replayed': 'true' }
        : {};
      return { endpoint, replayedHeader };
    },
    sendPing: async (named: NamedEndpoint) =>
      (await post(webhookPing, pathOf(webhookPaths.test, named))).event_id,
    listDeliveries: (named: NamedEndpoint, part: DeliveriesPart) =>
      send(internalDeliveryPage, {
        method: 'GET',
        path: pathOf(webhookPaths.deliveries, named),
        query: { ...part },
      }),
    redeliverEvents: (named: NamedEndpoint, wanted: WebhookRedelivery) =>
      post(webhookRedelivered, pathOf(webhookPaths.redeliver, named), wanted),
    /** Sends a signed sample of a completed refresh to the subscribed endpoints of a Project. */
    sendSample: (projectId: ProjectId) =>
      post(watchTest, pathOf(samplePath, { project_id: projectId })),
    /** Of at most 100 events, to every endpoint of the Project. */
    async listEventDeliveries(projectId: ProjectId, events: readonly EventId[]) {
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
