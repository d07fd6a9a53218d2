import type { Environment } from '@inventory/contracts/environment';
import type { PublicCode } from '@inventory/contracts/refusal-codes';
import type { Permission, ProductCode } from '@inventory/contracts/vocabulary';
import { sentFields } from '@inventory/contracts/wire';
import type { DocumentedEndpoint } from '@inventory/http/openapi-document';
import type { DocumentedResponse } from '@inventory/http/openapi-responses';
import { Refused } from '@inventory/http/refused';
import type { BoundRoute, DataOf, Input, InputSchemas } from '@inventory/http/route';
import { validateInput } from '@inventory/http/validate-input';
import { invariant } from '@inventory/runtime/bug';
import { z } from 'zod';
import { foreignInventory } from './own-inventory.ts';
import type { AdmittedRequest, PublicResponse, StreamedResponse } from './public-response.ts';
import type { V1Dialect } from './v1/v1-dialect.ts';

export type PublicTag =
  | 'Refreshes'
  | 'Inventories'
  | 'Watches'
  | 'Events'
  | 'Webhooks'
  | 'Account'
  | 'Credentials'
  | 'Status'
  | 'Sandbox'
  | 'Version 1';

interface EnvelopedBody {
  readonly data: z.ZodType;
  readonly meta: z.ZodType;
}

/** A success: `data` in the common envelope, or a body of its own. */
export interface RouteResponse extends DocumentedResponse {
  readonly status: 200 | 201 | 202;
  readonly body:
    | EnvelopedBody
    | { readonly unwrapped: z.ZodType }
    /** Text of this media type; of a stream the `data` of its frames by their `event`. */
    | { readonly text: string; readonly frames?: Readonly<Record<string, z.ZodType>> };
  readonly example: unknown;
  /** Another success with the same body. */
  readonly also?: DocumentedResponse & { readonly status: 200 | 201; readonly example: unknown };
}

/** One operation as documented. The same schemas validate its input. */
export interface PublicEndpoint extends DocumentedEndpoint {
  readonly tag: PublicTag;
  readonly description: string;
  /** Required permission of the Credential; absent where any active Credential may call. */
  readonly permission?: Permission;
  /** The one whose keys may call; to any other key the operation does not exist. */
  readonly environment?: Environment;
  /** Whether no key is required: its requests are limited by the address of the client alone. */
  readonly isOpen?: boolean;
  /** Whether its response may last for minutes. */
  readonly isLong?: boolean;
  /** Whether it begins while its request is counted, and awaits `counted` before its first effect. */
  readonly countedBeside?: boolean;
  /** Product that the operation is billed as. */
  readonly product?: ProductCode;
  /** Media types of the response, the preferred one first; JSON when absent. */
  readonly types?: readonly string[];
  readonly response: RouteResponse;
  /** Codes beside those of every operation of its kind. */
  readonly errors: readonly PublicCode[];
  /** The operation is served on the origin of events, which may be one of its own. */
  readonly hasEventsOrigin?: boolean;
  /** Form of failures where it is not the common error body. */
  readonly dialect?: V1Dialect;
}

/** An operation with its dependencies. */
export interface BoundPublicRoute
  extends PublicEndpoint,
    BoundRoute<AdmittedRequest, PublicResponse | StreamedResponse> {}

export interface PublicRoute<Deps> extends PublicEndpoint {
  bind(deps: Deps): BoundPublicRoute;
}

/** `data` and `meta` of the common envelope, as the response of the operation declares them. */
type Enveloped<Body> = Body extends {
  readonly data: infer Data extends z.ZodType;
  readonly meta: infer Meta extends z.ZodType;
}
  ? {
      readonly data: DataOf<Data>;
      readonly meta: DataOf<Meta>;
      /** That of the endpoint when absent. */
      readonly status?: PublicResponse['status'];
      readonly headers?: NonNullable<PublicResponse['headers']>;
    }
  : never;

interface PublicRouteSettings<
  Deps,
  Schemas extends InputSchemas,
  Body extends RouteResponse['body'],
> extends PublicEndpoint {
  readonly input: Schemas;
  readonly response: RouteResponse & { readonly body: Body };
  readonly handle: (
    deps: Deps,
    input: Input<Schemas>,
    request: AdmittedRequest,
  ) => Promise<PublicResponse | StreamedResponse | Enveloped<Body>>;
}

/**
 * Declares one operation of the public API: address, schemas, texts and handler. One under a Project
 * is served to the Credentials of that Project alone.
 */
export function publicRoute<
  Deps,
  const Schemas extends InputSchemas,
  Body extends RouteResponse['body'],
>({ handle, ...settings }: PublicRouteSettings<Deps, Schemas, Body>): PublicRoute<Deps> {
  const isOfProject = 'project_id' in sentFields(settings.input.path);
  const ofProject: readonly PublicCode[] = isOfProject ? ['project_not_found'] : [];
  const endpoint = { ...settings, errors: [...ofProject, ...settings.errors] };
  return {
    ...endpoint,
    bind: (deps) => ({
      ...endpoint,
      run: async (raw, request) => {
        // V1 ignores unknown query parameters, as it always did.
        const unknownQuery = endpoint.dialect === undefined ? 'refuse' : 'ignore';
        const input = validateInput(endpoint.input, raw, unknownQuery);
        if (isOfProject && raw.path['project_id'] !== request.principal.projectId) {
          throw new Refused({ code: 'project_not_found' });
        }
        requireOwnInventory(raw.path['platform_id'], request);
        const result = await handle(deps, input, request);
        return 'data' in result ? encoded(endpoint.response, result, request) : result;
      },
    }),
  };
}

/** Refuses the path of an inventory of the other environment. */
function requireOwnInventory(id: string | undefined, { environment }: AdmittedRequest): void {
  if (id === undefined) return;
  const issues = foreignInventory(environment, id, { in: 'path', field: 'platform_id' });
  if (issues.length > 0) throw new Refused({ code: 'invalid_request', detail: { issues } });
}

/** The common V2 envelope of a success. */
function encoded(
  { status, body }: RouteResponse,
  result: Enveloped<EnvelopedBody>,
  { environment }: AdmittedRequest,
): PublicResponse {
  invariant('data' in body, 'the operation has a response in the common envelope');
  const { data, meta, ...given } = result;
  const sent = {
    success: true,
    data: z.encode(body.data, data),
    meta: z.encode(body.meta, { ...Object(meta), environment }),
  };
  return { status, ...given, body: Buffer.from(JSON.stringify(sent)) };
}

/** What a process serves: the event stream, everything else, or both. */
export type GatewayRole = 'api' | 'events' | 'both';

/** The operations that a process of this role serves. */
export function endpointsOf<Endpoint extends PublicEndpoint>(
  endpoints: readonly Endpoint[],
  role: GatewayRole,
): readonly Endpoint[] {
  if (role === 'both') return endpoints;
  return endpoints.filter(({ hasEventsOrigin = false }) => hasEventsOrigin === (role === 'events'));
}
