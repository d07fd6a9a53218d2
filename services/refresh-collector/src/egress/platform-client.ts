import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { joined } from '@inventory/http/byte-parts';
import { BodyTooLarge, dispatchRequest } from '@inventory/http/dispatch-request';
import { readRetryAfter } from '@inventory/http/retry-after';
import type { Clock } from '@inventory/runtime/clock';
import type { RawPlatformResponse } from '../platform/platform-response.domain.ts';
import { acceptedCodings, decodeBody } from './decode-body.ts';
import type { EgressConfig } from './egress-config.ts';
import type { EgressIdentity } from './egress-identities.ts';

export interface PageRequest {
  readonly scope: InventoryKey;
  readonly language: string;
  readonly count: number;
  readonly startAssetId: string | null;
}

export type PlatformClient = ReturnType<typeof createPlatformClient>;

/** Requests pages from the platform; every failure is a value. */
export function createPlatformClient({ platform, identities }: EgressConfig, clock: Clock) {
  const { baseUrl, bodyBytesMax: bytesMax } = platform;
  /** A longer `Retry-After` of the platform counts as this. */
  const retryAfterMaxMs = identities.cooldownMaxMs;

  return {
    /** `timeoutMs` is for the whole request, body included. */
    async fetchPage(
      identity: EgressIdentity,
      page: PageRequest,
      timeoutMs: number,
    ): Promise<RawPlatformResponse> {
      try {
        const { origin, pathname, search } = pageUrl(baseUrl, page);
        const request = {
          method: 'GET',
          origin,
          path: `${pathname}${search}`,
          headers: {
            accept: 'application/json, text/plain, */*',
            'accept-encoding': acceptedCodings,
            'accept-language': 'en-US,en;q=0.9',
            'user-agent': platform.userAgent,
            referer: new URL(`/profiles/${page.scope.platform_id}/inventory`, baseUrl).toString(),
          },
        } as const;
        const signal = AbortSignal.timeout(timeoutMs);
        const response = await dispatchRequest(identity.dispatcher, request, { signal, bytesMax });
        const { status, headers, parts } = response;
        const codings = [headers['content-encoding'] ?? []].flat().join();
        const body = await decodeBody(joined(parts), codings, bytesMax);
        if (body === 'too_large') return { status: 'too_large' };
        const requestedWaitMs = readRetryAfter(headers['retry-after'], clock.now());
        return {
          status,
          body: body === 'undecodable' ? null : body,
          retryAfterMs: requestedWaitMs && Math.min(requestedWaitMs, retryAfterMaxMs),
        };
      } catch (error) {
        return { status: failureOf(error) };
      }
    },
    /** The timeout of a request that has to end within `timeLeftMs`. */
    timeoutMsFor: (timeLeftMs: number): number =>
      Math.max(1, Math.floor(Math.min(platform.timeoutMs, timeLeftMs))),
  };
}

/** Errors of requests that never reached the platform, including those of a proxy's tunnel. */
const unreachableCodes: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  // Only the response to CONNECT has a headers timeout; the platform's response ends with the signal.
  'UND_ERR_HEADERS_TIMEOUT',
  // A proxy that responds to CONNECT with anything but 200.
  'UND_ERR_ABORTED',
  'UND_ERR_PRX_TLS',
  'UND_ERR_PRX_CONN',
  'ECONNREFUSED',
  'EADDRNOTAVAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

function failureOf(error: unknown): 'timeout' | 'unreachable' | 'connection_failed' | 'too_large' {
  if (error instanceof BodyTooLarge) return 'too_large';
  if (error instanceof DOMException && error.code === DOMException.TIMEOUT_ERR) return 'timeout';
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const isUnreachable = unreachableCodes.has(code);
  return isUnreachable ? 'unreachable' : 'connection_failed';
}

function pageUrl(baseUrl: string, { scope, language, count, startAssetId }: PageRequest): URL {
  const { platform_id, app_id, context_id } = scope;
  const url = new URL(`/inventory/${platform_id}/${app_id}/${context_id}`, baseUrl);
  url.searchParams.set('l', language);
  url.searchParams.set('count', String(count));
  url.searchParams.set('raw_asset_properties', '1');
  if (startAssetId !== null) url.searchParams.set('start_assetid', startAssetId);
  return url;
}
