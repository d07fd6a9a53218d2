import { webhookApi } from '@inventory/contracts/internal/webhooks';
import type { CallInput, InternalClient } from '@inventory/http/internal-client';
import { replayHeaders } from '../secrets/promised-secrets.ts';

type Input = CallInput<(typeof webhookApi.rotateSecret)['input']>;

/** A new secret of an endpoint, with the header of a response under a key that was used before. */
export async function rotateWebhookSecret(webhooks: InternalClient, input: Input) {
  const { replayed, ...endpoint } = await webhooks.call(webhookApi.rotateSecret, input);
  return { endpoint, headers: replayHeaders(replayed) };
}
