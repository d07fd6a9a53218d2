import { pageRowsMax } from '@inventory/contracts/staged-rows';
import { type PlatformPage, readPlatformPage } from './platform-page.domain.ts';

/** One HTTP response of the platform, or the lack of one. */
export type RawPlatformResponse =
  | {
      readonly status: number;
      /** Null when its bytes are not of the coding that they are sent as. */
      readonly body: Buffer | null;
      /** Of the header, bounded. */
      readonly retryAfterMs: number | null;
    }
  /** `unreachable`: no connection was made, by the egress or beyond it. */
  | { readonly status: 'timeout' | 'connection_failed' | 'too_large' | 'unreachable' };

/**
 * The meaning of a response. The status decides first: the body of private, throttled, wrong count
 * and some successful responses is the same four bytes.
 */
export type PlatformResponse =
  | { readonly kind: 'page'; readonly page: PlatformPage }
  | { readonly kind: 'private' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | null }
  /** Something in front of the platform refuses this address: no evidence about an inventory. */
  | { readonly kind: 'blocked'; readonly retryAfterMs: number | null }
  /** The page size is no longer accepted, or this address is not. */
  | { readonly kind: 'bad_request' }
  /** The page is larger than the limit of a response. */
  | { readonly kind: 'too_large' }
  /** The request never reached the platform: no evidence about an application. */
  | { readonly kind: 'unreachable' }
  /** A failure that a retry may not meet. */
  | {
      readonly kind: 'fault';
      readonly reason: FaultReason;
      readonly eresult: number | null;
      /** The wait that the platform requests. */
      readonly retryAfterMs?: number;
    }
  /** A server error that a retry meets again. */
  | { readonly kind: 'refused'; readonly eresult: number | null };

export type FaultReason =
  | 'timeout'
  | 'connection_failed'
  | 'server_error'
  | 'duplicate_request'
  | 'bad_answer';

const noMatch = 42;
const duplicateRequest = 29;
/** EResults that clients retry: Fail, Busy, Timeout, ServiceUnavailable, Duplicate, RemoteCall. */
const retryableResults = new Set([2, 10, 16, 20, duplicateRequest, 55]);

export function classifyResponse(raw: RawPlatformResponse): PlatformResponse {
  if (!('body' in raw)) return noResponse(raw.status);
  const { status, body, retryAfterMs } = raw;
  switch (status) {
    case 200:
      return pageOf(body);
    case 400:
      return { kind: 'bad_request' };
    case 401:
    case 403:
      return refusal(body, retryAfterMs);
    case 404:
      return { kind: 'not_found' };
    case 429:
      return { kind: 'throttled', retryAfterMs };
    case 500:
      return serverError(body);
    default:
      return status > 500 ? unavailable(retryAfterMs) : fault('bad_answer');
  }
}

function unavailable(retryAfterMs: number | null): PlatformResponse {
  const wait = retryAfterMs === null ? {} : { retryAfterMs };
  return { kind: 'fault', reason: 'server_error', eresult: null, ...wait };
}

function noResponse(status: Exclude<RawPlatformResponse['status'], number>): PlatformResponse {
  switch (status) {
    case 'too_large':
    case 'unreachable':
      return { kind: status };
    default:
      return fault(status);
  }
}

function fault(reason: FaultReason, eresult: number | null = null): PlatformResponse {
  return { kind: 'fault', reason, eresult };
}

/** Private is `null` or an empty body; a block page has a body of its own. */
function refusal(body: Buffer | null, retryAfterMs: number | null): PlatformResponse {
  if (body === null) return fault('bad_answer');
  const text = new TextDecoder().decode(body).trim();
  return text === '' || text === 'null' ? { kind: 'private' } : { kind: 'blocked', retryAfterMs };
}

/** A failure is never an empty inventory: only a page with `success` is one. */
function pageOf(body: Buffer | null): PlatformResponse {
  const page = body && readPlatformPage(body);
  if (!page) return fault('bad_answer');
  const rows = Math.max(page.assets.length, page.descriptions.length);
  return rows > pageRowsMax ? { kind: 'too_large' } : { kind: 'page', page };
}

function serverError(body: Buffer | null): PlatformResponse {
  const parsed = parseJson(body);
  const text =
    typeof parsed === 'object' && parsed !== null ? (parsed as { error?: unknown }).error : null;
  if (typeof text !== 'string') return fault('server_error');
  const eresult = readEResult(text);
  if (eresult === null) return fault('server_error');
  if (eresult === noMatch) return { kind: 'not_found' };
  if (!retryableResults.has(eresult)) return { kind: 'refused', eresult };
  return fault(eresult === duplicateRequest ? 'duplicate_request' : 'server_error', eresult);
}

/** Only "EResult NN" or a final "(NN)" below 256 is a code; other numbers are app ids and such. */
export function readEResult(text: string): number | null {
  const match = /EResult (\d{1,3})(?!\d)/.exec(text) ?? /\((\d{1,3})\)\s*$/.exec(text);
  const code = Number(match?.[1] ?? Number.NaN);
  return Number.isInteger(code) && code < 256 ? code : null;
}

function parseJson(body: Buffer | null): unknown {
  if (body === null) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
