import { createHmac, timingSafeEqual } from 'node:crypto';
import { wallClockMs } from './client-environment.ts';
import { WebhookVerificationError } from './errors.ts';
import type { ProjectEvent } from './event-records.ts';

/** Headers of `fetch` or `node:http`. */
export type ReceivedHeaders =
  | FetchedHeaders
  | Readonly<Record<string, string | readonly string[] | undefined>>;

interface FetchedHeaders {
  get(name: string): string | null;
}

export interface VerifyWebhookOptions {
  /** Largest difference from the sender's clock, either way; 300 by default. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since the Unix epoch; the present by default. */
  readonly nowMs?: number | undefined;
}

/** Sent to test an endpoint; it has no event. */
export interface WebhookPing {
  readonly type: 'webhook.ping';
  readonly id: string;
  readonly version: number;
  readonly occurred_at: string;
  readonly project_id: string;
  readonly data: { readonly endpoint_id: string };
}

const toleranceDefaultSeconds = 300;
/** More signatures than secrets of any rotation. */
const signaturesMax = 16;

/**
 * Verifies the signature of a webhook by the scheme of Standard Webhooks, and returns its event.
 * `rawBody` is the body as received, before any JSON parser; `secrets` are the endpoint's, `whsec_…`,
 * two during a rotation. Throws {@link WebhookVerificationError}. An event may be delivered more than
 * once: deduplicate by its `id`.
 */
export function verifyWebhook(
  headers: ReceivedHeaders,
  rawBody: string | Uint8Array,
  secrets: string | readonly string[],
  { toleranceSeconds = toleranceDefaultSeconds, nowMs = wallClockMs() }: VerifyWebhookOptions = {},
): ProjectEvent | WebhookPing {
  const keys = [secrets].flat().map(keyOf);
  if (keys.length === 0) throw new TypeError('At least one secret is required.');
  const id = headerIn(headers, 'webhook-id');
  const timestamp = headerIn(headers, 'webhook-timestamp');
  const signatures = headerIn(headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('headers_missing');
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw new WebhookVerificationError('timestamp_malformed');

  const given = signaturesIn(signatures);
  const expected = keys.map((key) => signatureOf(key, id, timestamp, rawBody));
  // Every pair is compared, so that the duration does not depend on which one matches.
  const matches = expected.flatMap((one) => given.map((other) => isSame(one, other)));
  if (!matches.includes(true)) throw new WebhookVerificationError('signature_mismatch');
  if (!(Math.abs(nowMs / 1_000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_outside_tolerance');
  }
  return eventIn(rawBody);
}

export interface SignedWebhook {
  /** The event's id: the same at every attempt. */
  readonly id: string;
  readonly body: string | Uint8Array;
  /** Milliseconds since the Unix epoch; the present by default. */
  readonly nowMs?: number | undefined;
}

/** The headers that a webhook of this body has under the secret, for a test of its receiver. */
export function signWebhook(
  { id, body, nowMs = wallClockMs() }: SignedWebhook,
  secret: string,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signatureOf(keyOf(secret), id, timestamp, body).toString('base64')}`,
  };
}

function signatureOf(
  key: Buffer,
  id: string,
  timestamp: string,
  body: string | Uint8Array,
): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}

function keyOf(secret: string): Buffer {
  const [, base64 = ''] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(base64, 'base64');
  if (key.length === 0) throw new TypeError('A secret must be whsec_ and base64.');
  return key;
}

function signaturesIn(header: string): Buffer[] {
  return header
    .split(' ', signaturesMax)
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice('v1,'.length), 'base64'));
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function headerIn(headers: ReceivedHeaders, name: string): string | null {
  if (isFetched(headers)) return headers.get(name);
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : null;
}

function isFetched(headers: ReceivedHeaders): headers is FetchedHeaders {
  return typeof headers.get === 'function';
}

function eventIn(rawBody: string | Uint8Array): ProjectEvent | WebhookPing {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody);
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'type' in parsed) {
      return parsed as ProjectEvent | WebhookPing;
    }
  } catch {
    // Thrown below.
  }
  throw new WebhookVerificationError('body_malformed');
}
