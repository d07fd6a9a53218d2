import { createHmac, randomBytes } from 'node:crypto';
import { webhookSecretPrefix, writeWebhookSecret } from '@inventory/contracts/http/webhooks';

const secretBytes = 32;

/** A new signing secret in the form of Standard Webhooks: `whsec_` and base64. */
export function newWebhookSecret(): string {
  return writeWebhookSecret(randomBytes(secretBytes));
}

export interface SignedContent {
  /** The event's id: the same at every attempt. */
  readonly id: string;
  /** Seconds since the epoch, of this attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Headers of Standard Webhooks. Each secret signs, so that a receiver with either the present or
 * the previous secret can verify.
 */
export function signatureHeaders(
  { id, timestamp, body }: SignedContent,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(webhookSecretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
