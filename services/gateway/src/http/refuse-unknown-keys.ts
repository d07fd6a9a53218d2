import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { statusOf } from '@inventory/http/refused';
import { targetOf } from '@inventory/http/request-target';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { peerNetworkOf } from '../tenancy/network-policy.domain.ts';
import { commonHeaders, newRequestId } from './assign-request-id.ts';
import type { AuthenticateDeps } from './authenticate.ts';
import { errorText } from './render-errors.ts';
import { tooManyUnknownKeys } from './unknown-keys.ts';
import { v1TargetOf } from './v1-dialect.ts';
import { v1Failure } from './v1-failures.ts';
import { deprecationHeaders } from './v1-mark-deprecated.ts';

interface RefuseUnknownKeysDeps
  extends Pick<AuthenticateDeps, 'principals' | 'unknownKeys' | 'clientAddressOf'> {
  readonly v1DeprecatedAtMs: number;
  readonly delayMs: number;
  /** Counts one. */
  readonly unknownKeyRefused: () => void;
  readonly identifiers: Identifiers;
}

/**
 * Refuses the unknown keys of a peer without refusals left before a request costs anything else, and
 * with a delay: thousands a second would take the time of known customers' requests.
 */
export function refuseUnknownKeys(
  deps: RefuseUnknownKeysDeps,
  listener: RequestListener,
): RequestListener {
  return (request, response) => {
    const seconds = secondsRefused(deps, request);
    if (seconds === null) {
      listener(request, response);
      return;
    }
    deps.unknownKeyRefused();
    // The requests of a connection are handled in order: the delay bounds what a connection costs.
    setTimeout(() => refuse(deps, { request, response, seconds }), deps.delayMs);
  };
}

interface RefusedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly seconds: number;
}

function refuse(
  { identifiers, v1DeprecatedAtMs }: RefuseUnknownKeysDeps,
  { request, response, seconds }: RefusedRequest,
): void {
  const { refusal, headers } = tooManyUnknownKeys(seconds);
  const requestId = newRequestId(identifiers);
  const v1 = v1TargetOf(targetOf(request.url).path);
  const body =
    v1 === null
      ? errorText(refusal, { request_id: requestId })
      : v1Failure(v1.dialect, { refusal, billing: {} }, requestId).body;
  response
    .writeHead(statusOf(refusal), {
      ...commonHeaders,
      ...headers,
      ...(v1 === null ? {} : deprecationHeaders(v1, v1DeprecatedAtMs)),
      'X-Request-ID': requestId,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': body.length,
    })
    .end(body);
}

function secondsRefused(
  { principals, unknownKeys, clientAddressOf }: RefuseUnknownKeysDeps,
  request: IncomingMessage,
): number | null {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || !unknownKeys.isRefusing()) return null;
  const seconds = unknownKeys.secondsRefused(peerNetworkOf(clientAddressOf(request)));
  return seconds === null || principals.isKnown(key) ? null : seconds;
}
