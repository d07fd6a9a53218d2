import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Refused, statusOf } from '@inventory/http/refused';
import { targetOf } from '@inventory/http/request-target';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { commonHeaders, newRequestId } from './assign-request-id.ts';
import type { AuthenticateDeps } from './authenticate.ts';
import { errorText } from './render-errors.ts';
import { v1TargetOf } from './v1-dialect.ts';
import { v1Failure } from './v1-failures.ts';
import { deprecationHeaders } from './v1-headers.ts';

interface RefuseUnknownKeysDeps
  extends Pick<AuthenticateDeps, 'principals' | 'unknownKeys' | 'clientAddressOf'> {
  readonly v1DeprecatedAtMs: number;
  readonly delayMs: number;
  /** Counts one. */
  readonly unknownKeyRefused: () => void;
  readonly identifiers: Identifiers;
}

/**
 * Refuses the unknown keys of a client that has sent too many before a request costs anything else.
 * After a delay: thousands a second would take the time of known customers' requests, and a key that
 * was issued elsewhere a moment ago is known by then.
 */
export function refuseUnknownKeys(
  deps: RefuseUnknownKeysDeps,
  listener: RequestListener,
): RequestListener {
  return (request, response) => {
    if (refusalOf(deps, request) === null) {
      listener(request, response);
      return;
    }
    // The requests of a connection are handled in order: the delay bounds what a connection costs.
    setTimeout(() => {
      const refused = refusalOf(deps, request);
      if (refused === null) listener(request, response);
      else refuse(deps, { request, response, refused });
    }, deps.delayMs);
  };
}

interface RefusedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly refused: Refused;
}

function refuse(
  { identifiers, v1DeprecatedAtMs, unknownKeyRefused }: RefuseUnknownKeysDeps,
  { request, response, refused: { refusal, headers } }: RefusedRequest,
): void {
  unknownKeyRefused();
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

/** Null where the request is to be served: of most the key is known, or there is none. */
function refusalOf(
  { principals, unknownKeys, clientAddressOf }: RefuseUnknownKeysDeps,
  request: IncomingMessage,
): Refused | null {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || principals.isKnown(key)) return null;
  return unknownKeys.refusalOf(clientAddressOf(request));
}
