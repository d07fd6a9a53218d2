import type { ServiceName } from '@inventory/contracts/topics';
import { z } from 'zod';
import type { BoundedEndpoint } from './limit-in-flight.ts';
import { Reply } from './reply.ts';
import type { BoundRoute, DataOf, Endpoint, Input, InputSchemas } from './route.ts';
import { validateInput } from './validate-input.ts';

/** What a handler can use of a request beside its input. */
export interface InternalRequest {
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal;
}

interface InternalEndpoint extends BoundedEndpoint {
  /** Status of a success. */
  readonly status: 200 | 201 | 204;
  /** The services that may call it. */
  readonly callers: readonly ServiceName[];
}

/** An operation with its dependencies. */
export interface BoundInternalRoute
  extends InternalEndpoint,
    BoundRoute<InternalRequest, unknown> {}

/** An operation that only other services call. */
export interface InternalRoute<Deps> extends InternalEndpoint {
  bind(deps: Deps): BoundInternalRoute;
}

interface InternalRouteSettings<Deps, Schemas extends InputSchemas, Body extends z.ZodType>
  extends Endpoint<Schemas> {
  /** 200 when absent. */
  readonly status?: InternalEndpoint['status'];
  readonly callers: InternalEndpoint['callers'];
  readonly inFlightMax?: number;
  /** Schema of a success; absent where it has no body, or is a {@link Reply}. */
  readonly response?: Body;
  readonly handle: (
    deps: Deps,
    input: Input<Schemas>,
    request: InternalRequest,
  ) => Promise<DataOf<Body> | Reply>;
}

const bodyBytesMaxDefault = 64 * 1024;

/** Declares one internal operation: address, schemas and handler. */
export function internalRoute<
  Deps,
  const Schemas extends InputSchemas,
  Body extends z.ZodType = z.ZodVoid,
>(settings: InternalRouteSettings<Deps, Schemas, Body>): InternalRoute<Deps> {
  const { handle, response, ...rest } = settings;
  const endpoint = { status: 200, bodyBytesMax: bodyBytesMaxDefault, ...rest } as const;
  return {
    ...endpoint,
    bind: (deps) => ({
      ...endpoint,
      async run(raw, request) {
        const result = await handle(deps, validateInput(endpoint.input, raw), request);
        if (response === undefined || result instanceof Reply) return result;
        return z.encode(response, result as z.output<Body>);
      },
    }),
  };
}
