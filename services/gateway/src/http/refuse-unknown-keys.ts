import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Refused, statusOf } from '@inventory/http/refused';
import { targetOf } from '@inventory/http/request-target';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { pause } from '@inventory/runtime/wait';
import { commonHeaders, newRequestId } from './assign-request-id.ts';
import { type AuthenticateDeps, findPrincipal } from './authenticate.ts';
import { errorText } from './render-errors.ts';
import { v1TargetOf } from './v1/v1-dialect.ts';
import { v1Failure } from './v1/v1-failures.ts';
import { deprecationHeaders } from './v1/v1-headers.ts';

interface RefuseUnknownKeysDeps extends AuthenticateDeps {
  readonly v1DeprecatedAtMs: number;
  readonly delayMs: number;
  readonly identifiers: Identifiers;
}

/**
 * Refuses the unknown keys of a client that has sent too many, before a request costs anything but its
 * look-up. After a delay: the requests of a connection are handled in order, so it bounds what a
 * connection costs. A key that exists is served as soon as it was found.
 */
export function refuseUnknownKeys(
  deps: RefuseUnknownKeysDeps,
  listener: RequestListener,
): RequestListener {
  return (request, response) => {
    const suspect = suspectOf(deps, request);
    if (suspect === null) return listener(request, response);
    findPrincipal(deps, suspect.clientAddress, suspect.key).then(
      () => listener(request, response),
      async (error: unknown) => {
        if (!(error instanceof Refused)) return listener(request, response);
        await pause(deps.delayMs);
        refuse(deps, { request, response, refused: error });
      },
    );
  };
}

/** The unseen key of a client that has sent too many unknown ones; null of any other request. */
function suspectOf(
  { principals, unknownKeys, clientAddressOf }: RefuseUnknownKeysDeps,
  request: IncomingMessage,
) {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || !principals.isUnseen(key)) return null;
  const clientAddress = clientAddressOf(request);
  return unknownKeys.isPastLimit(clientAddress) ? { key, clientAddress } : null;
}

interface RefusedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly refused: Refused;
}

function refuse(
  { identifiers, v1DeprecatedAtMs }: RefuseUnknownKeysDeps,
  { request, response, refused: { refusal, headers } }: RefusedRequest,
): void {
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
