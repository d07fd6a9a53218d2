import { type newWebhookEndpoint, writeWebhookSecret } from '@inventory/contracts/http/webhooks';
import type { WebhookEndpointId } from '@inventory/contracts/ids';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import type { z } from 'zod';
import { replayHeaders } from '../secrets/promised-secrets.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import type { WebhookServices } from './webhook-services.ts';

/**
 * A new endpoint of the caller's Project with its secret, once per Idempotency-Key. Throws
 * `webhook_endpoint_not_found` where that of the key was deleted.
 */
export async function createWebhookEndpoint(
  { webhooks, secrets, identifiers }: WebhookServices,
  { projectId, accountId }: Principal,
  wanted: z.output<typeof newWebhookEndpoint>,
  key: string | undefined,
) {
  const path = { projectId };
  const body = { ...wanted, accountId };
  if (key === undefined) {
    return {
      endpoint: await webhooks.call(webhookApi.createEndpoint, { path, body }),
      headers: {},
    };
  }
  const request = {
    ...{ key, scope: ['webhook-endpoint.create', projectId], inputs: wanted },
    write: (_of: WebhookEndpointId, entropy: Uint8Array) => writeWebhookSecret(entropy),
  };
  const promised = await secrets.promise(request, `whe_${identifiers.uuidV7()}`);
  const { ownerId: endpointId, secret, isRepeated, isKept } = promised;
  const headers = replayHeaders(isRepeated);
  if (isKept) {
    const found = await webhooks.call(webhookApi.readEndpoint, { path: { ...path, endpointId } });
    return { endpoint: { ...found, secret }, headers };
  }
  const endpoint = await secrets.fulfil(request, promised, () =>
    webhooks.call(webhookApi.createEndpoint, { path, body: { ...body, endpointId, secret } }),
  );
  return { endpoint: { ...endpoint, secret }, headers };
}
