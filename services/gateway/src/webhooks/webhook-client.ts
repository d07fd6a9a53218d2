import {
  type newWebhookEndpoint,
  type WebhookEndpointView,
  type WebhookEndpointWithSecret,
  type WebhookRedelivered,
  type WebhookRedelivery,
  webhookEndpoint,
  type webhookEndpointChange,
  webhookEndpointList,
  webhookEndpointWithSecret,
  webhookPing,
  webhookRedelivered,
} from '@inventory/contracts/http/webhooks';
import type { AccountId, EventId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import {
  type InternalDeliveryPage,
  internalDeliveryPage,
  webhookRefusals,
} from '@inventory/contracts/internal/webhooks';
import type { InternalCall, InternalClient } from '@inventory/http/internal-client';
import { z } from 'zod';

export interface NamedEndpoint {
  readonly projectId: ProjectId;
  readonly endpointId: WebhookEndpointId;
}

export function namedIn(path: {
  readonly project_id: ProjectId;
  readonly endpoint_id: WebhookEndpointId;
}): NamedEndpoint {
  return { projectId: path.project_id, endpointId: path.endpoint_id };
}

export interface DeliveriesPart {
  readonly state?: string | undefined;
  /** Position of the last item of the previous part. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** A Project's webhook endpoints. Rejects with Refused or ServiceUnreachable. */
export interface WebhookClient {
  createEndpoint(
    owner: { readonly projectId: ProjectId; readonly accountId: AccountId },
    wanted: z.output<typeof newWebhookEndpoint>,
  ): Promise<WebhookEndpointWithSecret>;
  listEndpoints(projectId: ProjectId): Promise<WebhookEndpointView[]>;
  readEndpoint(named: NamedEndpoint): Promise<WebhookEndpointView>;
  changeEndpoint(
    named: NamedEndpoint,
    change: z.output<typeof webhookEndpointChange>,
  ): Promise<WebhookEndpointView>;
  deleteEndpoint(named: NamedEndpoint): Promise<void>;
  rotateSecret(named: NamedEndpoint, overlapSeconds: number): Promise<WebhookEndpointWithSecret>;
  sendPing(named: NamedEndpoint): Promise<EventId>;
  listDeliveries(named: NamedEndpoint, part: DeliveriesPart): Promise<InternalDeliveryPage>;
  redeliverEvents(named: NamedEndpoint, wanted: WebhookRedelivery): Promise<WebhookRedelivered>;
}

export function createWebhookClient(client: Pick<InternalClient, 'json'>): WebhookClient {
  const send = <Schema extends z.ZodType>(schema: Schema, call: InternalCall) =>
    client.json(schema, { ...call, refusals: webhookRefusals });
  const post = <Schema extends z.ZodType>(schema: Schema, path: string, body: unknown = {}) =>
    send(schema, { method: 'POST', path, body });

  return {
    createEndpoint: ({ projectId, accountId }, wanted) =>
      post(webhookEndpointWithSecret, pathOf(projectId), { ...wanted, account_id: accountId }),
    listEndpoints: async (projectId) =>
      (await send(webhookEndpointList, { method: 'GET', path: pathOf(projectId) })).items,
    readEndpoint: (named) => send(webhookEndpoint, { method: 'GET', path: pathOfOne(named) }),
    changeEndpoint: (named, body) =>
      send(webhookEndpoint, { method: 'PUT', path: pathOfOne(named), body }),
    async deleteEndpoint(named) {
      await send(z.object({}), { method: 'DELETE', path: pathOfOne(named) });
    },
    rotateSecret: (named, overlapSeconds) =>
      post(webhookEndpointWithSecret, `${pathOfOne(named)}/rotate-secret`, {
        overlap_seconds: overlapSeconds,
      }),
    sendPing: async (named) => (await post(webhookPing, `${pathOfOne(named)}/test`)).event_id,
    listDeliveries: (named, part) =>
      send(internalDeliveryPage, {
        method: 'GET',
        path: `${pathOfOne(named)}/deliveries`,
        query: { ...part },
      }),
    redeliverEvents: (named, wanted) =>
      post(webhookRedelivered, `${pathOfOne(named)}/redeliver`, wanted),
  };
}

function pathOf(projectId: ProjectId): string {
  return `/projects/${projectId}/webhook-endpoints`;
}

function pathOfOne({ projectId, endpointId }: NamedEndpoint): string {
  return `${pathOf(projectId)}/${endpointId}`;
}
