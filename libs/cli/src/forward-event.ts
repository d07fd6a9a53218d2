import type { ProjectEvent } from '@inventory/client/event-records';
import { signWebhook } from '@inventory/client/verify-webhook';
import { type CliProcess, UsageFault } from './cli-process.ts';

/** One attempt, and the pause before the next one where it was not accepted. */
export interface Attempt {
  readonly event: ProjectEvent;
  readonly attempt: number;
  /** The status of the response, or the reason why there is none. */
  readonly answer: number | string;
  readonly retryInMs: number | null;
}

interface Forwarding {
  readonly url: string;
  /** Undefined where nothing is signed. */
  readonly secret: string | undefined;
  readonly onAttempt: (attempt: Attempt) => Promise<void>;
}

/** As long as a webhook endpoint has. */
const timeoutMs = 15_000;
const retryFirstMs = 1_000;
const retryMaxMs = 30_000;

export function readForwarding({ environment }: CliProcess, url: string) {
  const { protocol = '', username, password, hash } = URL.parse(url) ?? {};
  if (!/^https?:$/.test(protocol) || username || password || hash) {
    throw new UsageFault('--forward-to must be an http or https address without user and fragment');
  }
  const { INVENTORY_WEBHOOK_SECRET: secret } = environment;
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret)) {
    throw new UsageFault('INVENTORY_WEBHOOK_SECRET must be whsec_ and base64');
  }
  return { url, secret };
}

/**
 * Posts the event as a webhook delivery does, until it is accepted: the events after it wait. The
 * receiver may have it more than once, under the same id.
 */
export async function forwardEvent(
  { nowMs, pause, signal }: CliProcess,
  { url, secret, onAttempt }: Forwarding,
  event: ProjectEvent,
): Promise<void> {
  const body = JSON.stringify(event);
  for (let attempt = 1; ; attempt += 1) {
    const sentMs = nowMs();
    const headers =
      secret === undefined
        ? { 'webhook-id': event.id, 'webhook-timestamp': String(Math.floor(sentMs / 1_000)) }
        : signWebhook({ id: event.id, body, nowMs: sentMs }, secret);
    const answer = await post(url, headers, body, signal);
    const isAccepted = typeof answer === 'number' && answer >= 200 && answer < 300;
    const delayMs = Math.min(retryMaxMs, retryFirstMs * 2 ** Math.min(attempt - 1, 10));
    await onAttempt({ event, attempt, answer, retryInMs: isAccepted ? null : delayMs });
    if (isAccepted) return;
    await pause(delayMs);
  }
}

async function post(
  url: string,
  signed: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<number | string> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'game-item-inventory-webhooks/1',
    ...signed,
  };
  const either = AbortSignal.any([signal, timeout]);
  try {
    const request = { method: 'POST', headers, body, redirect: 'manual', signal: either } as const;
    const response = await fetch(url, request);
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    signal.throwIfAborted();
    const { cause } = Object(error) as { cause?: { code?: unknown } };
    if (typeof cause?.code === 'string') return cause.code;
    return timeout.aborted ? `no response within ${timeoutMs / 1_000} s` : 'no response';
  }
}
