import type { RequestsLeft } from '@inventory/contracts/http/meta';
import type { RequestId } from '@inventory/contracts/ids';
import { invariant } from '@inventory/runtime/bug';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Principal } from '../tenancy/principal.domain.ts';
import type { PageDelivery } from './public-response.ts';
import type { BoundPublicRoute } from './public-route.ts';

/** What a response holds until it is delivered. */
export interface DeliverySlot {
  /** The client's connection has accepted so many bytes: from the first call on its pace is judged. */
  taken(bytes: number): void;
  /** Holds so much instead, also where that is more than there is. */
  resize(size: number): void;
  /** Calling it again has no effect. */
  release(): void;
}

/** State of a request, set by the middleware in the order of `app.ts`. */
export interface RequestState {
  requestId: RequestId;
  route?: BoundPublicRoute;
  /** Path parameters, percent-decoded. */
  pathValues?: Readonly<Record<string, string>>;
  /** Media type of a successful response. */
  type?: string;
  principal?: Principal;
  secretDigest?: string;
  clientAddress?: string;
  rateLimit?: RequestsLeft;
  /** Rejects where the request is refused for the rate. */
  counted?: Promise<void>;
  /** Set where the response is a charged page. */
  delivery?: PageDelivery;
  /** Its body, where that is in parts. */
  parts?: readonly Buffer[];
  /** What it holds until it is delivered. */
  slot?: DeliverySlot;
  /** Names of the headers of the response: removed when it is not written. */
  responseHeaders?: readonly string[];
  errorCode?: string;
}

export type PublicContext = ParameterizedContext<RequestState>;
export type PublicMiddleware = Middleware<RequestState>;

/** A field that an earlier middleware must have set. */
export function required<Name extends keyof RequestState>(
  state: RequestState,
  name: Name,
): NonNullable<RequestState[Name]> {
  const value = state[name];
  invariant(value !== undefined && value !== null, `the request has no ${name} yet`);
  return value as NonNullable<RequestState[Name]>;
}
