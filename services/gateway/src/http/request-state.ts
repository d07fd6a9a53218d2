import type { RateLimit } from '@inventory/contracts/http/meta';
import type { RequestId } from '@inventory/contracts/ids';
import { invariant } from '@inventory/runtime/bug';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Principal } from '../tenancy/principal.domain.ts';
import type { PageDelivery } from './page-delivery.ts';
import type { BoundPublicRoute } from './public-route.ts';
import type { V1Dialect } from './v1-dialect.ts';

/** What the middleware learns of a request, in the order of `app.ts`. */
export interface RequestState {
  requestId: RequestId;
  /** Set where the path is one of the first version. */
  v1?: V1Dialect;
  route?: BoundPublicRoute;
  /** Path parameters as they were sent, decoded. */
  pathValues?: Readonly<Record<string, string>>;
  /** Media type of a successful answer. */
  type?: string;
  principal?: Principal;
  secretDigest?: string;
  clientAddress?: string;
  rateLimit?: RateLimit;
  /** Set where a page is to be written that is charged. */
  delivery?: PageDelivery;
  /** Names of the headers that speak of the answer: they go with it when it is not written. */
  answerHeaders?: readonly string[];
  errorCode?: string;
}

export type PublicContext = ParameterizedContext<RequestState>;
export type PublicMiddleware = Middleware<RequestState>;

/** What an earlier middleware must have put there. */
export function required<Name extends keyof RequestState>(
  state: RequestState,
  name: Name,
): NonNullable<RequestState[Name]> {
  const value = state[name];
  invariant(value !== undefined && value !== null, `the request has no ${name} yet`);
  return value as NonNullable<RequestState[Name]>;
}
