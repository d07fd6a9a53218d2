import { plainMeta } from '@inventory/contracts/http/meta';
import type { DataOf, Input, InputSchemas } from '@inventory/http/route';
import type { z } from 'zod';
import { exampleCursor, plainMetaExample } from './openapi/examples.ts';
import type { AdmittedRequest, PublicResponse } from './public-response.ts';
import {
  type PublicEndpoint,
  type PublicRoute,
  publicRoute,
  type RouteResponse,
} from './public-route.ts';

/** The response of an operation that costs nothing, with the example of its `data` alone. */
interface DataResponse<Data extends z.ZodType> extends Omit<RouteResponse, 'body' | 'also'> {
  readonly data: Data;
  readonly also?: { readonly status: 200 | 201; readonly description: string };
}

interface DataRouteSettings<Deps, Schemas extends InputSchemas, Data extends z.ZodType>
  extends Omit<PublicEndpoint, 'response'> {
  readonly input: Schemas;
  readonly response: DataResponse<Data>;
  readonly handle: (
    deps: Deps,
    input: Input<Schemas>,
    request: AdmittedRequest,
  ) => Promise<{
    readonly data: DataOf<Data>;
    /** That of the endpoint when absent. */
    readonly status?: PublicResponse['status'];
    readonly headers?: NonNullable<PublicResponse['headers']>;
  }>;
}

/** The response of a list: one page of it, whose `next_cursor` leads to the next. */
export function partOf<Data extends z.ZodType>(
  data: Data,
  item: object,
  links: NonNullable<RouteResponse['links']>,
): DataResponse<Data> {
  return {
    status: 200,
    description: 'One page of the list.',
    links,
    data,
    example: {
      items: [item],
      pagination: { has_more: true, next_cursor: exampleCursor },
    },
  };
}

/** Declares an operation that costs nothing: its response is `data` in the common envelope. */
export function dataRoute<Deps, const Schemas extends InputSchemas, Data extends z.ZodType>({
  handle,
  response: { data: schema, example, also, ...response },
  ...endpoint
}: DataRouteSettings<Deps, Schemas, Data>): PublicRoute<Deps> {
  const whole = { success: true, data: example, meta: plainMetaExample };
  return publicRoute({
    ...endpoint,
    response: {
      ...response,
      body: { data: schema, meta: plainMeta },
      example: whole,
      ...(also && { also: { ...also, example: whole } }),
    },
    async handle(deps: Deps, input: Input<Schemas>, request) {
      return { ...(await handle(deps, input, request)), meta: { requestId: request.requestId } };
    },
  });
}
