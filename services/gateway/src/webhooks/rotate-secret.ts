import type { webhookEndpointPath, webhookRotation } from '@inventory/contracts/http/webhooks';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import type { InternalClient } from '@inventory/http/internal-client';
import type { z } from 'zod';

interface WantedRotation extends z.output<typeof webhookRotation> {
  /** The Idempotency-Key. */
  readonly key: string | undefined;
}

/** A new secret of an endpoint, with the header of an answer under a key that was used before. */
export async function rotateSecret(
  webhooks: Pick<InternalClient, 'call'>,
  path: z.output<typeof webhookEndpointPath>,
  { key, ...rotation }: WantedRotation,
) {
  const body = { ...rotation, idempotency_key: key };
  const { replayed, ...endpoint } = await webhooks.call(webhookApi.rotateSecret, { path, body });
  const headers: Record<string, string> = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { endpoint, headers };
}
