import type {
  newWebhookEndpoint,
  WebhookRedelivery,
  webhookEndpointChange,
  webhookEndpointPath,
  webhookRotation,
} from '@inventory/contracts/http/webhooks';
import type { AccountId, EventId, ProjectId } from '@inventory/contracts/ids';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import type { CallInput, InternalClient } from '@inventory/http/internal-client';
import type { z } from 'zod';

type NamedEndpoint = z.output<typeof webhookEndpointPath>;

export interface WantedRotation extends z.output<typeof webhookRotation> {
  /** The Idempotency-Key. */
  readonly key: string | undefined;
}

/** A Project's webhook endpoints. Rejects with Refused or ServiceUnreachable. */
export type WebhookClient = ReturnType<typeof createWebhookClient>;

export function createWebhookClient({ call }: Pick<InternalClient, 'call'>) {
  return {
    createEndpoint(
      { projectId, accountId }: { readonly projectId: ProjectId; readonly accountId: AccountId },
      wanted: z.output<typeof newWebhookEndpoint>,
    ) {
      const body = { ...wanted, account_id: accountId };
      return call(webhookApi.createEndpoint, { path: { project_id: projectId }, body });
    },
    /** Oldest first. */
    listEndpoints: async (project_id: ProjectId) =>
      (await call(webhookApi.listEndpoints, { path: { project_id } })).items,
    readEndpoint: (path: NamedEndpoint) => call(webhookApi.readEndpoint, { path }),
    changeEndpoint: (path: NamedEndpoint, body: z.output<typeof webhookEndpointChange>) =>
      call(webhookApi.changeEndpoint, { path, body }),
    deleteEndpoint: (path: NamedEndpoint) => call(webhookApi.deleteEndpoint, { path }),
    /** With the header of an answer under a key that was used before. */
    async rotateSecret(path: NamedEndpoint, { key, ...rotation }: WantedRotation) {
      const body = { ...rotation, idempotency_key: key };
      const { replayed, ...endpoint } = await call(webhookApi.rotateSecret, { path, body });
      const headers: Record<string, string> = replayed ? { 'Idempotency-Replayed': 'true' } : {};
      return { endpoint, headers };
    },
    sendPing: (path: NamedEndpoint) => call(webhookApi.sendPing, { path }),
    listDeliveries: (
      path: NamedEndpoint,
      query: CallInput<typeof webhookApi.listDeliveries.input>['query'],
    ) => call(webhookApi.listDeliveries, { path, query }),
    redeliverEvents: (path: NamedEndpoint, body: WebhookRedelivery) =>
      call(webhookApi.redeliverEvents, { path, body }),
    /** Sends a signed sample of a completed refresh to the subscribed endpoints of a Project. */
    sendSample: (project_id: ProjectId) => call(webhookApi.sendSample, { path: { project_id } }),
    /** Of at most 100 events, to every endpoint of the Project. */
    async listEventDeliveries(project_id: ProjectId, event_id: readonly EventId[]) {
      if (event_id.length === 0) return [];
      const input = { path: { project_id }, query: { event_id } };
      return (await call(webhookApi.listEventDeliveries, input)).items;
    },
  };
}
