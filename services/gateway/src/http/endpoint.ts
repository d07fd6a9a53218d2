import type { PublicCode } from '@inventory/contracts/refusal-codes';
import type { Permission, ProductCode } from '@inventory/contracts/vocabulary';
import type { InputSchemas, Method } from '@inventory/http/route';
import type { z } from 'zod';

export type EndpointTag =
  | 'Refreshes'
  | 'Inventories'
  | 'Events'
  | 'Webhooks'
  | 'Account'
  | 'Version 1';

/** Headers that an answer can have beside those of every answer, and what they say. */
export type DocumentedHeaders = Readonly<Record<string, string>>;

/** What a successful answer is: `data` in the common envelope, or a body of its own. */
export interface DocumentedAnswer {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  readonly body:
    | { readonly data: z.ZodType; readonly meta: z.ZodType }
    | { readonly unwrapped: z.ZodType }
    /** Text of this media type. */
    | { readonly text: string };
  readonly example: unknown;
  /** The same in other media types, as text. */
  readonly otherTypes?: Readonly<Record<string, string>>;
  readonly headers?: DocumentedHeaders;
}

/**
 * Everything that a client can know of one operation. The same schemas check its input and make
 * its documentation: there is no second description.
 */
export interface Endpoint<Schemas extends InputSchemas = InputSchemas> {
  readonly operationId: string;
  readonly tag: EndpointTag;
  readonly summary: string;
  readonly description: string;
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
  readonly bodyExample?: unknown;
  readonly answer: DocumentedAnswer;
  /** Codes beside those that every operation of its kind can answer. */
  readonly errors: readonly PublicCode[];
  /** How failures are written where it is not the common error body. */
  readonly dialect?: 'original' | 'alias';
}

export function defineEndpoint<const Schemas extends InputSchemas>(
  endpoint: Endpoint<Schemas>,
): Endpoint<Schemas> {
  return endpoint;
}
