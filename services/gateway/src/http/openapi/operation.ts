import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { errorResponses } from './error-responses.ts';
import { type JsonSchema, jsonSchemaOf, type NamedSchemas } from './json-schema.ts';

/** One operation of the document. */
export function operationOf(endpoint: Endpoint, named: NamedSchemas): JsonSchema {
  const { operationId, tag, summary, permission, dialect, input, answer } = endpoint;
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${endpoint.description}\n\n${permissionText(permission)}`,
    ...(dialect === undefined ? {} : { deprecated: true }),
    ...(permission === undefined ? {} : { 'x-permission': permission }),
    parameters: [
      ...parametersOf('path', input.path, named),
      ...parametersOf('query', input.query, named),
      ...parametersOf('header', input.header, named),
    ],
    ...(input.body === undefined ? {} : { requestBody: requestBodyOf(endpoint, named) }),
    responses: {
      [String(answer.status)]: successResponse(endpoint, named),
      ...errorResponses(endpoint, named),
    },
  };
}

function permissionText(permission: string | undefined): string {
  return permission === undefined
    ? 'Open to any active Credential.'
    : `Needs the permission \`${permission}\`.`;
}

function parametersOf(
  place: 'path' | 'query' | 'header',
  fields: z.ZodObject | undefined,
  named: NamedSchemas,
): JsonSchema[] {
  return Object.entries(fields?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || !acceptsNothing(field),
    schema: jsonSchemaOf(field, { io: 'input', named }),
    ...(field instanceof z.ZodArray ? { style: 'form', explode: true } : {}),
  }));
}

/** A list takes no value at all as an empty one. */
function acceptsNothing(field: z.ZodType): boolean {
  return field instanceof z.ZodArray || field.safeParse(undefined).success;
}

function requestBodyOf({ input, bodyExample }: Endpoint, named: NamedSchemas): JsonSchema {
  const schema = input.body && jsonSchemaOf(input.body, { io: 'input', named });
  return { required: true, content: { 'application/json': { schema, example: bodyExample } } };
}

function successResponse({ answer }: Endpoint, named: NamedSchemas): JsonSchema {
  const { description, example, otherTypes, headers } = answer;
  const texts = Object.entries(otherTypes ?? {}).map(([type, text]) => [
    type,
    { schema: { type: 'string' }, example: text },
  ]);
  return {
    description,
    headers: {
      ...Object.fromEntries(
        ['X-Request-ID', 'RateLimit', 'RateLimit-Policy'].map((name) => [
          name,
          { $ref: `#/components/headers/${name}` },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(headers ?? {}).map(([name, text]) => [
          name,
          { description: text, schema: { type: 'string' } },
        ]),
      ),
    },
    content: {
      [mediaTypeOf(answer.body)]: { schema: bodyOf(answer.body, named), example },
      ...Object.fromEntries(texts),
    },
  };
}

function mediaTypeOf(body: Endpoint['answer']['body']): string {
  return 'text' in body ? body.text : 'application/json';
}

function bodyOf(body: Endpoint['answer']['body'], named: NamedSchemas): JsonSchema {
  const options = { io: 'output', named } as const;
  if ('text' in body) return { type: 'string' };
  if ('unwrapped' in body) return jsonSchemaOf(body.unwrapped, options);
  return {
    type: 'object',
    properties: {
      success: { const: true },
      data: jsonSchemaOf(body.data, options),
      meta: jsonSchemaOf(body.meta, options),
    },
    required: ['success', 'data', 'meta'],
  };
}
