import type { ServerResponse } from 'node:http';
import type { RateLimit } from '@inventory/contracts/http/meta';
import type { RequestId } from '@inventory/contracts/ids';
import type { Permission, ProductCode } from '@inventory/contracts/vocabulary';
import type { z } from 'zod';
import type { Authority } from '../tenancy/authority.domain.ts';
import type { Method } from './endpoint.ts';
import type { PageDelivery } from './page-delivery.ts';
import { type InputSchemas, type RawInput, validateInput } from './validate-input.ts';

export type Input<Schemas extends InputSchemas> = {
  readonly [Part in keyof Schemas]: Schemas[Part] extends z.ZodType
    ? z.output<Schemas[Part]>
    : undefined;
};

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

interface RouteSettings<Schemas extends InputSchemas> {
  /** Its name in the reference. */
  readonly operationId: string;
  readonly method: Method;
  /** Path template with `{name}` for each path parameter. */
  readonly template: string;
  /** What the Credential must be allowed; absent where any active one of the Project may ask. */
  readonly permission?: Permission;
  /** What the operation is billed as. */
  readonly product?: ProductCode;
  /** Media types that the answer can have, the preferred one first. */
  readonly types?: readonly string[];
  readonly input: Schemas;
  /** Largest body that is read, in bytes. */
  readonly bodyBytesMax?: number;
  readonly handle: (
    request: AdmittedRequest,
    input: Input<Schemas>,
  ) => Promise<Answer | StreamAnswer>;
}

export interface Route {
  readonly operationId: string;
  readonly method: Method;
  readonly template: string;
  readonly permission: Permission | undefined;
  readonly product: ProductCode | undefined;
  readonly types: readonly string[];
  readonly readsBody: boolean;
  readonly bodyBytesMax: number;
  /** Validates everything at once, then runs the operation. */
  run(request: AdmittedRequest, raw: RawInput): Promise<Answer | StreamAnswer>;
}

export function defineRoute<const Schemas extends InputSchemas>(
  settings: RouteSettings<Schemas>,
): Route {
  const { operationId, method, template, permission, product, input, handle } = settings;
  const { types = ['application/json'], bodyBytesMax = 16 * 1024 } = settings;
  return {
    operationId,
    method,
    template,
    permission,
    product,
    types,
    readsBody: input.body !== undefined,
    bodyBytesMax,
    // What validation returns is what the schemas of these parts make of the input.
    run: async (request, raw) => handle(request, validateInput(input, raw) as Input<Schemas>),
  };
}
