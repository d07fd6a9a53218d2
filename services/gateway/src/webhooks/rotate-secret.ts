import { webhookApi } from '@inventory/contracts/internal/webhooks';
import type { CallInput, InternalClient } from '@inventory/http/internal-client';

type Input = CallInput<(typeof webhookApi.rotateSecret)['input']>;

/** A new secret of an endpoint, with the header of a response under a key that was used before. */
export async function rotateWebhookSecret(webhooks: InternalClient, input: Input) {
  const { replayed, ...endpoint } = await webhooks.call(webhookApi.rotateSecret, input);
  const headers: Record<string, string> = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { endpoint, headers };
}
