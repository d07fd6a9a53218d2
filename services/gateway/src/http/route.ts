import type { ServerResponse } from 'node:http';
import type { RateLimit } from '@inventory/contracts/http/meta';
import type { RequestId } from '@inventory/contracts/ids';
import type { Permission, ProductCode } from '@inventory/contracts/vocabulary';
import type { BoundRoute, Endpoint, Input, InputSchemas } from '@inventory/http/route';
import { validateInput } from '@inventory/http/validate-input';
import type { Authority } from '../tenancy/authority.domain.ts';
import type { PageDelivery } from './page-delivery.ts';

/** A request that passed everything in front of its operation. */
export interface AdmittedRequest {
  readonly requestId: RequestId;
  readonly authority: Authority;
  readonly rateLimit: RateLimit;
  /** The type that the client prefers among those of the route. */
  readonly type: string;
  /** Aborted when the connection is gone. */
  readonly signal: AbortSignal;
  /** Where the client is, as its network policies see it. */
  readonly clientAddress: string;
  /** Of the secret that was shown; the secret itself goes no further than its check. */
  readonly secretDigest: string;
}

/** An answer that goes on for as long as the connection does; it writes everything by itself. */
export interface StreamAnswer {
  readonly status: 200;
  readonly stream: (response: ServerResponse) => void;
}

export interface Answer {
  readonly status: 200 | 201 | 202;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the body is, where it is not JSON. */
  readonly type?: string;
  readonly body: Buffer;
  /** Where the answer is a page that is charged. */
  readonly delivery?: PageDelivery;
}

/** What the frame has to know of an operation. */
interface PublicEndpoint extends Endpoint {
  /** Its name in the reference. */
  readonly operationId: string;
  /** What the Credential must be allowed; absent where any active one of the Project may ask. */
  readonly permission?: Permission;
  /** What the operation is billed as. */
  readonly product?: ProductCode;
  /** Media types that the answer can have, the preferred one first; JSON when absent. */
  readonly types?: readonly string[];
}

export type Route = PublicEndpoint & BoundRoute<AdmittedRequest, Answer | StreamAnswer>;

interface RouteSettings<Schemas extends InputSchemas> extends PublicEndpoint {
  readonly input: Schemas;
  readonly handle: (
    request: AdmittedRequest,
    input: Input<Schemas>,
  ) => Promise<Answer | StreamAnswer>;
}

export function defineRoute<const Schemas extends InputSchemas>({
  handle,
  ...endpoint
}: RouteSettings<Schemas>): Route {
  const { input } = endpoint;
  return { ...endpoint, run: async (raw, request) => handle(request, validateInput(input, raw)) };
}
