import { type FieldsSchema, sentFields } from '@inventory/contracts/wire';
import { z } from 'zod';
import {
  definitionOf,
  type JsonSchema,
  jsonSchemaOf,
  mapValues,
  type NamedSchemas,
} from './json-schema.ts';
import { describedHeaders } from './openapi-responses.ts';
import type { Endpoint } from './route.ts';

/** What an OpenAPI document says of any operation. */
export interface DocumentedEndpoint extends Endpoint {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly bodyExample?: unknown;
}

/** One HTTP surface, as its document describes it. */
export interface ApiDescription<Described extends DocumentedEndpoint> {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
  };
  /** Descriptions of the tags, in their order. */
  readonly tags: Readonly<Record<string, string>>;
  /** The one security scheme, by name. */
  readonly security: Readonly<Record<string, JsonSchema>>;
  /** Descriptions of the headers that responses refer to. */
  readonly headers: Readonly<Record<string, string>>;
  /** Schemas with a name of their own in the document. */
  readonly named: NamedSchemas;
  /** Further schemas that responses refer to. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Examples of parameters, by name. */
  readonly parameterExamples?: Readonly<Record<string, string | number>>;
  /** Whether a request without a body counts as one whose body is `{}`. */
  readonly mayOmitBody: boolean;
  /** Fields of an operation beside its name, parameters, body and responses. */
  readonly describe: (endpoint: Described) => JsonSchema;
  /** Responses of an operation, by status. */
  readonly responses: (endpoint: Described) => JsonSchema;
}

/** The OpenAPI 3.1 document of these operations, as a plain object. */
export function openApiDocument<Described extends DocumentedEndpoint>(
  api: ApiDescription<Described>,
  endpoints: readonly Described[],
): JsonSchema {
  const { info, tags, security, headers, named, schemas } = api;
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/' }],
    security: [mapValues(security, () => [])],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: pathsOf(api, endpoints),
    components: {
      securitySchemes: security,
      headers: describedHeaders(headers),
      schemas: {
        ...Object.fromEntries(
          [...named].map(([schema, name]) => [name, definitionOf(schema, { io: 'output', named })]),
        ),
        ...schemas,
      },
    },
  };
}

function pathsOf<Described extends DocumentedEndpoint>(
  api: ApiDescription<Described>,
  endpoints: readonly Described[],
): JsonSchema {
  const byTemplate = Map.groupBy(endpoints, ({ template }) => template);
  return Object.fromEntries(
    [...byTemplate].map(([template, own]) => [
      template,
      Object.fromEntries(
        own.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(api, endpoint)]),
      ),
    ]),
  );
}

function operationOf<Described extends DocumentedEndpoint>(
  api: ApiDescription<Described>,
  endpoint: Described,
): JsonSchema {
  const { operationId, tag, summary, input } = endpoint;
  return {
    operationId,
    tags: [tag],
    summary,
    ...api.describe(endpoint),
    parameters: [
      ...parametersOf('path', input.path, api),
      ...parametersOf('query', input.query, api),
      ...parametersOf('header', input.header, api),
    ],
    ...(input.body === undefined ? {} : { requestBody: requestBodyOf(api, endpoint, input.body) }),
    responses: api.responses(endpoint),
  };
}

function parametersOf(
  location: 'path' | 'query' | 'header',
  fields: FieldsSchema | undefined,
  { named, parameterExamples = {} }: ApiDescription<never>,
): JsonSchema[] {
  return Object.entries(sentFields(fields)).map(([name, field]) => {
    // Of the parameter, where viewers and generators read it.
    const { description, ...described } = jsonSchemaOf(field, { io: 'input', named });
    return {
      name,
      in: location,
      ...(description === undefined ? {} : { description }),
      required: location === 'path' || !acceptsNothing(field),
      schema: described,
      ...(name in parameterExamples ? { example: parameterExamples[name] } : {}),
      ...(field instanceof z.ZodArray ? { style: 'form', explode: true } : {}),
    };
  });
}

/** An array accepts no value at all as an empty one. */
function acceptsNothing(field: z.core.$ZodType): boolean {
  return field instanceof z.ZodArray || z.safeParse(field, undefined).success;
}

function requestBodyOf(
  { named, mayOmitBody }: ApiDescription<never>,
  { bodyExample }: DocumentedEndpoint,
  body: z.ZodType,
): JsonSchema {
  return {
    required: !mayOmitBody || !body.safeParse({}).success,
    content: {
      'application/json': {
        schema: jsonSchemaOf(body, { io: 'input', named }),
        ...(bodyExample === undefined ? {} : { example: bodyExample }),
      },
    },
  };
}
