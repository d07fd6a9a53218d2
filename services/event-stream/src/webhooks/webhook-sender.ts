import { skippingInterim } from '@inventory/http/skip-interim';
import { Agent, buildConnector } from 'undici';
import { startDeadline } from './deadline.ts';
import {
  AddressRefused,
  createGuardedLookup,
  type HostResolver,
  NameUnresolved,
} from './guarded-lookup.ts';
import { type BoundedResponse, postBounded } from './post-bounded.ts';
import { notingStatus, statusBefore } from './response-status.ts';
import { type AddressRules, parseWebhookUrl } from './webhook-address.domain.ts';
import type { AttemptError } from './webhook-document.ts';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The result of a request. */
export type WebhookResponse =
  | BoundedResponse
  | { readonly status: null; readonly error: AttemptError };

export type WebhookSender = ReturnType<typeof createWebhookSender>;

export function createWebhookSender(
  resolve: HostResolver,
  rules: AddressRules,
  /** Longest time until the response head is received, connecting included. */
  timeoutMs: number,
) {
  const connect = buildConnector({
    // The deadline of a request ends before.
    timeout: 2 * timeoutMs,
    autoSelectFamily: true,
    lookup: createGuardedLookup(resolve, rules),
  });
  const agent = new Agent({
    connect: notingStatus(skippingInterim(connect)),
    // The limits are those of the deliverer: time in a queue here would count as the endpoint's.
    connections: null,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 30_000,
    headersTimeout: 0,
    maxHeaderSize: 16 * 1024,
  });

  async function post({ url, headers, body, signal }: WebhookRequest): Promise<WebhookResponse> {
    const target = parseWebhookUrl(url, rules);
    if (target.result === 'invalid') return { status: null, error: 'address_refused' };
    const { origin, path } = target;
    return postBounded(agent, { origin, path, headers, body }, signal);
  }

  return {
    /** Rejects only when the signal is aborted. */
    async send(given: WebhookRequest): Promise<WebhookResponse> {
      const deadline = startDeadline(timeoutMs, given.signal);
      try {
        return await post({ ...given, signal: deadline.signal });
      } catch (error) {
        if (given.signal.aborted) throw error;
        const status = statusBefore(error);
        if (status !== null) return { status, retryAfter: null, start: Buffer.alloc(0) };
        return { status: null, error: deadline.signal.aborted ? 'timeout' : attemptErrorOf(error) };
      } finally {
        deadline.clear();
      }
    },
    close: (): Promise<void> => agent.destroy(),
  };
}

const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

function attemptErrorOf(error: unknown): AttemptError {
  const chain = causesOf(error);
  if (chain.some((cause) => cause instanceof AddressRefused)) return 'address_refused';
  if (chain.some((cause) => cause instanceof NameUnresolved)) return 'dns';
  const codes = chain.map((cause) => String((cause as { code?: unknown }).code ?? ''));
  if (codes.some((code) => tlsCode.test(code))) return 'tls';
  if (codes.some((code) => code.includes('TIMEOUT') || code === 'ETIMEDOUT')) return 'timeout';
  return 'connection';
}

/** An error with its causes, and those of an error that holds several. */
function causesOf(error: unknown, depth = 0): unknown[] {
  if (typeof error !== 'object' || error === null || depth > 5) return [];
  const { cause, errors } = error as { cause?: unknown; errors?: unknown };
  const inner = [cause, ...(Array.isArray(errors) ? errors : [])];
  return [error, ...inner.flatMap((one) => causesOf(one, depth + 1))];
}
