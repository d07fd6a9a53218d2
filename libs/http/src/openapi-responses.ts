import { type JsonSchema, mapValues, referenceTo } from './json-schema.ts';

/** What a success is, beside its schema. */
export interface DocumentedResponse {
  readonly description: string;
  readonly example?: unknown;
  /** The same in other media types, as text. */
  readonly otherTypes?: Readonly<Record<string, string>>;
  /** Operations that continue from the response, by their names, with their parameters from it. */
  readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Headers that the response can have beside those of every response, and what they say. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ResponseContent {
  readonly type: string;
  readonly schema: JsonSchema;
  /** Described in the components. */
  readonly commonHeaders: readonly string[];
}

/** The response of a success. */
export function successResponse(
  { description, example, otherTypes = {}, headers = {}, links }: DocumentedResponse,
  { type, schema, commonHeaders }: ResponseContent,
): JsonSchema {
  const texts = mapValues(otherTypes, (text) => ({ schema: { type: 'string' }, example: text }));
  return {
    description,
    headers: { ...headerReferences(commonHeaders), ...describedHeaders(headers) },
    content: { [type]: { schema, ...(example === undefined ? {} : { example }) }, ...texts },
    ...(links === undefined ? {} : { links: mapLinks(links) }),
  };
}

function mapLinks(links: NonNullable<DocumentedResponse['links']>): JsonSchema {
  return Object.fromEntries(
    Object.entries(links).map(([operationId, parameters]) => [
      operationId,
      { operationId, parameters },
    ]),
  );
}

/** One code that an operation can respond with. */
export interface DocumentedError {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  /** Schema of a body that is not the common one of the surface. */
  readonly body?: JsonSchema;
  readonly example?: unknown;
  /** Described in the components. */
  readonly headers: readonly string[];
}

/** The responses of failures by status: the schema and an example of each code. */
export function errorResponses(errors: readonly DocumentedError[], bodyOf: BodyOf): JsonSchema {
  const byStatus = Map.groupBy(errors, ({ status }) => String(status));
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => [
      status,
      {
        description: own.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n\n'),
        headers: headerReferences(new Set(own.flatMap(({ headers }) => headers))),
        content: {
          'application/json': {
            schema: anyOf(bodySchemas(own, bodyOf)),
            ...examplesOf(own),
          },
        },
      },
    ]),
  );
}

function examplesOf(errors: readonly DocumentedError[]): JsonSchema {
  const examples = errors.flatMap(({ code, example }) =>
    example === undefined ? [] : [[code, { value: example }] as const],
  );
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) };
}

function bodySchemas(errors: readonly DocumentedError[], bodyOf: BodyOf): readonly JsonSchema[] {
  const own = errors.flatMap(({ body }) => (body === undefined ? [] : [body]));
  const [first, ...others] = errors.filter(({ body }) => body === undefined);
  if (first === undefined) return own;
  if (others.length === 0) return [...own, referenceTo(errorSchemaName(first.code))];
  const mapping = Object.fromEntries(
    [first, ...others].map(({ code }) => [code, refusalReference(code)]),
  );
  const oneOf = Object.values(mapping).map(($ref) => ({ $ref }));
  return [...own, bodyOf({ oneOf, discriminator: { propertyName: 'code', mapping } })];
}

/** The schema of the common body of a surface, of that of its `error`. */
type BodyOf = (error: JsonSchema) => JsonSchema;

/** The body of each code and its `error`, by their names. */
export function errorSchemas<Code extends string>(
  codes: readonly Code[],
  errorOf: (code: Code) => JsonSchema,
  bodyOf: BodyOf,
): Record<string, JsonSchema> {
  return Object.fromEntries(
    codes.flatMap((code) => [
      [errorSchemaName(code), bodyOf({ $ref: refusalReference(code) })],
      [refusalName(code), errorOf(code)],
    ]),
  );
}

/** Name of the schema of a code's body. */
function errorSchemaName(code: string): string {
  return `${typeName(code)}Error`;
}

/** Name of the schema of the `error` in it. */
function refusalName(code: string): string {
  return `${typeName(code)}Refusal`;
}

function refusalReference(code: string): string {
  return `#/components/schemas/${refusalName(code)}`;
}

function typeName(code: string): string {
  return code
    .split('_')
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('');
}

function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return distinct.length === 1 && distinct[0] ? distinct[0] : { anyOf: distinct };
}

function headerReferences(names: Iterable<string>): JsonSchema {
  return Object.fromEntries(
    Array.from(names, (name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

const numeric = /^Retry-After$|-(Charged|Remaining)$/;

/** Headers by name, with their types. */
export function describedHeaders(texts: Readonly<Record<string, string>>): JsonSchema {
  return Object.fromEntries(
    Object.entries(texts).map(([name, description]) => [
      name,
      {
        description,
        schema: numeric.test(name) ? { type: 'integer', format: 'int64' } : { type: 'string' },
      },
    ]),
  );
}
