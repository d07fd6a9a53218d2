import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** Schemas with a name of their own in the document. */
export type NamedSchemas = ReadonlyMap<z.core.$ZodType, string>;

export interface SchemaOptions {
  /** Whether the schema is of what a client sends or of what it receives. */
  readonly io: 'input' | 'output';
  readonly named: NamedSchemas;
}

export function referenceTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The JSON Schema of what a schema accepts or returns; named parts of it are references. */
export function jsonSchemaOf(schema: z.core.$ZodType, { io, named }: SchemaOptions): JsonSchema {
  const name = named.get(schema);
  return name === undefined ? definitionOf(schema, { io, named }) : referenceTo(name);
}

/** As {@link jsonSchemaOf}, written out even where the schema itself is named. */
export function definitionOf(schema: z.core.$ZodType, { io, named }: SchemaOptions): JsonSchema {
  // Of a codec the side on the wire, whoever sends it: what a client receives is its input.
  const isCodec = schema instanceof z.ZodCodec;
  const onWire = isCodec ? schema.in : schema;
  const { $schema: _, ...converted } = z.toJSONSchema(onWire, {
    io: isCodec ? 'input' : io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const name = zodSchema === onWire ? undefined : named.get(zodSchema);
      if (name !== undefined) return replace(jsonSchema, referenceTo(name));
      const { documentedAs } = jsonSchema;
      if (documentedAs instanceof z.ZodType) {
        return replace(jsonSchema, jsonSchemaOf(documentedAs, { io, named }));
      }
      if (zodSchema instanceof z.ZodCodec) {
        return replace(jsonSchema, definitionOf(zodSchema, { io, named }));
      }
      tidy(jsonSchema, io);
      if (zodSchema === onWire && io === 'output') requireDefaults(jsonSchema, onWire);
      if (zodSchema instanceof z.ZodDiscriminatedUnion) {
        addDiscriminator(jsonSchema, zodSchema, named);
      }
    },
  });
  const ofCodec = isCodec ? schema.meta() : {};
  return expandNullable({ ...converted, ...ofCodec }) as JsonSchema;
}

/** What has a default is always sent. */
function requireDefaults(jsonSchema: JsonSchema, schema: z.core.$ZodType): void {
  const { required } = jsonSchema;
  if (!(schema instanceof z.ZodObject) || !Array.isArray(required)) return;
  const isSent = ([name, field]: [string, unknown]) =>
    required.includes(name) || field instanceof z.ZodDefault;
  jsonSchema['required'] = Object.entries(schema.shape)
    .filter(isSent)
    .map(([name]) => name);
}

const plainFormats = ['date-time', 'date'];

/**
 * Names integers as such, with the size that their bounds need, and removes redundant constraints:
 * bounds of exact ones, patterns of formats.
 */
function tidy(schema: JsonSchema, io: SchemaOptions['io']): void {
  if (Number.isInteger(schema['const'])) schema['type'] = 'integer';
  if (schema['type'] === 'integer') schema['format'] = integerFormat(schema);
  if (plainFormats.includes(String(schema['format']))) delete schema['pattern'];
  if (io === 'input') return;
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  // Fields may be added to responses within a version; clients ignore unknown ones.
  if (schema['additionalProperties'] === false) delete schema['additionalProperties'];
}

/** Not a number of 32 bits where it can pass one: generators would read it as that, or as a float. */
function integerFormat({ const: exact, minimum = exact, maximum = exact }: JsonSchema): string {
  const isSmall = Number(minimum) >= -(2 ** 31) && Number(maximum) < 2 ** 31;
  return isSmall ? 'int32' : 'int64';
}

/** Where the discriminating values are texts and every form has a name. */
function addDiscriminator(
  schema: JsonSchema,
  { def }: z.ZodDiscriminatedUnion,
  named: NamedSchemas,
): void {
  const propertyName = def.discriminator;
  const forms = def.options.flatMap((option) => {
    const name = named.get(option);
    const values = [...(option._zod.propValues?.[propertyName] ?? [])];
    return values.map((value) => [value, name] as const);
  });
  if (forms.some(([value, name]) => typeof value !== 'string' || name === undefined)) return;
  const mapping = Object.fromEntries(
    forms.map(([value, name]) => [value, `#/components/schemas/${name}`]),
  );
  schema['discriminator'] = { propertyName, mapping };
}

/** One way of nullable: `anyOf` with null, wherever it is. */
function expandNullable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expandNullable);
  if (typeof value !== 'object' || value === null) return value;
  const schema = mapValues(value as JsonSchema, expandNullable);
  const { type, description, ...rest } = schema;
  if (!Array.isArray(type) || type.length !== 2 || type[1] !== 'null') return schema;
  const anyOf = [{ type: type[0] as unknown, ...rest }, { type: 'null' }];
  return description === undefined ? { anyOf } : { description, anyOf };
}

function replace(schema: JsonSchema, by: JsonSchema): void {
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, by);
}

export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  convert: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, convert(value)]));
}
