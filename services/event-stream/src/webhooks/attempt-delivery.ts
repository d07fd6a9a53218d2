import { environmentOf } from '@inventory/contracts/environment';
import { readRetryAfter } from '@inventory/http/retry-after';
import { randomBetween } from '@inventory/runtime/backoff';
import { type Clock, elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import type { AttemptReport } from './delivery-store.ts';
import { responseText } from './response-text.ts';
import { signingSecrets } from './secret-rotation.domain.ts';
import { afterAttempt, type RetryRules } from './webhook-delivery.domain.ts';
import type {
  AttemptError,
  DeliveryAttempt,
  WebhookDelivery,
  WebhookEndpoint,
} from './webhook-document.ts';
import type { WebhookResponse, WebhookSender } from './webhook-sender.ts';
import { signatureHeaders } from './webhook-signature.ts';

export type AttemptDelivery = ReturnType<typeof createAttemptDelivery>;

const randomSteps = 1_000_000;
const randomShare = () => randomBetween(0, randomSteps - 1) / randomSteps;

export function createAttemptDelivery(
  sender: WebhookSender,
  retries: RetryRules,
  clock: Clock,
  signal: AbortSignal,
) {
  /** Sends a delivery, signed; the result is not stored yet. Rejects only when the signal is aborted. */
  return async (endpoint: WebhookEndpoint, delivery: WebhookDelivery): Promise<AttemptReport> => {
    const begunMs = monotonicNow();
    const response = await sender.send({ ...requestOf(endpoint, delivery, clock.now()), signal });
    const atMs = clock.now();
    const durationMs = Math.round(elapsedSince(begunMs));
    const attempt = attemptOf(response, endpoint, atMs, durationMs);
    const retryAfterMs =
      response.status === null ? null : readRetryAfter(response.retryAfter, atMs);
    const end = { isSuccess: attempt.error === null, atMs, retryAfterMs, random: randomShare() };
    return { delivery, attempt, progress: afterAttempt(delivery, end, retries) };
  };
}

function requestOf(
  endpoint: WebhookEndpoint,
  { eventId: id, body }: WebhookDelivery,
  nowMs: number,
) {
  const content = { id, timestamp: Math.floor(nowMs / 1_000), body };
  return {
    url: endpoint.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'game-item-inventory-webhooks/1',
      'inventory-environment': environmentOf(endpoint.accountId),
      ...signatureHeaders(content, signingSecrets(endpoint.secrets, nowMs)),
    },
  };
}

function attemptOf(
  response: WebhookResponse,
  { secrets }: WebhookEndpoint,
  atMs: number,
  durationMs: number,
): DeliveryAttempt {
  const { status } = response;
  if (status === null) {
    return { atMs, durationMs, status, error: response.error, responseBody: null };
  }
  const responseBody = responseText(
    response.start,
    secrets.map(({ secret }) => secret),
  );
  return { atMs, durationMs, status, error: errorOf(status), responseBody };
}

function errorOf(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'status';
}
