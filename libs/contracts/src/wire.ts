import { z } from 'zod';

/** The name on the wire: `requestedAtMs` is `requested_at`, any other name itself in snake_case. */
type WireName<Name> = Name extends `${infer Point extends PointInTime}Ms`
  ? SnakeCase<Point>
  : SnakeCase<Name>;
type PointInTime = 'at' | 'since' | 'until' | 'asOf' | `${string}${'At' | 'Since' | 'Until'}`;
type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** The schema of a field in the code: of a codec its other side. */
type InCode<Field extends z.core.SomeType> =
  Field extends z.ZodCodec<z.core.SomeType, infer Decoded extends z.core.$ZodType>
    ? Decoded
    : Field extends z.ZodNullable<infer Value>
      ? z.ZodNullable<InCode<Value>>
      : Field extends z.ZodDefault<infer Value>
        ? InCode<Value>
        : Field extends z.ZodExactOptional<infer Value>
          ? z.ZodExactOptional<InCode<Value>>
          : Field extends z.ZodOptional<infer Value>
            ? z.ZodOptional<InCode<Value>>
            : Field extends z.ZodArray<infer Item>
              ? z.ZodArray<InCode<Item>>
              : Field extends z.ZodDiscriminatedUnion<infer Forms, infer Discriminator>
                ? z.ZodDiscriminatedUnion<FormsInCode<Forms>, Discriminator>
                : Extract<Field, z.core.$ZodType>;
type FormsInCode<Forms extends readonly z.core.SomeType[]> = {
  [Index in keyof Forms]: Extract<InCode<Forms[Index]>, z.core.$ZodTypeDiscriminable>;
};

type WireShape<Fields> = { -readonly [Name in keyof Fields as WireName<Name>]: Fields[Name] };
type CodeShape<Fields extends z.ZodRawShape> = {
  -readonly [Name in keyof Fields]: InCode<Fields[Name]>;
};

/** A codec between an object of the wire and the same one in the code, whose schema is `out`. */
export type WireCodec<Fields extends z.ZodRawShape> = z.ZodCodec<
  z.ZodObject<WireShape<Fields>>,
  z.ZodObject<CodeShape<Fields>>
>;

/** Schema of fields by name, as of a query: an object, or a codec of one. */
export type FieldsSchema = z.ZodObject | z.ZodCodec<z.ZodObject, z.ZodObject>;

/** The fields of a schema as they are sent. */
export function sentFields(schema: FieldsSchema | undefined): z.ZodRawShape {
  return (schema instanceof z.ZodCodec ? schema.in : schema)?.shape ?? {};
}

/**
 * Declares a noun once: in the code its names are camelCase and its times milliseconds, on the wire
 * snake_case and ISO text. A field is a schema of its wire form, or a codec, or a codec that is
 * nullable, optional, in an array, a form of a union or has a default. Decoding ignores what is not
 * declared. What breaks a schema throws a ZodError, encoded or decoded.
 */
export function wire<const Fields extends z.ZodRawShape>(fields: Fields): WireCodec<Fields> {
  return wireOf(fields, z.object);
}

/** As {@link wire}, for what customers send: a field that is not declared is an issue. */
export function strictWire<const Fields extends z.ZodRawShape>(fields: Fields): WireCodec<Fields> {
  return wireOf(fields, z.strictObject);
}

function wireOf<Fields extends z.ZodRawShape>(
  fields: Fields,
  objectOf: (shape: z.ZodRawShape) => z.ZodObject,
): WireCodec<Fields> {
  const encoded = Object.keys(fields).map((name) => [name, wireName(name)] as const);
  const decoded = encoded.map(([name, sent]) => [sent, name] as const);
  const entries = Object.entries(fields);
  const sent = objectOf(
    Object.fromEntries(entries.map(([name, field]) => [wireName(name), field])),
  );
  const inCode = z.object(
    Object.fromEntries(entries.map(([name, field]) => [name, codeOf(field)])),
  );
  // Each field is checked once, by `sent`: its codecs check both of their sides.
  const codec = z.codec(sent, z.looseObject({}), {
    decode: (value) => renamed(value, decoded),
    encode: (value) => renamed(value, encoded),
  });
  Object.assign(codec, { out: inCode });
  // The types of both sides follow from the fields.
  return codec as unknown as WireCodec<Fields>;
}

const pointInTime = /(^at|^since|^until|^asOf|At|Since|Until)Ms$/;

function wireName(name: string): string {
  return name.replace(pointInTime, '$1').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function codeOf(field: z.core.$ZodType): z.core.$ZodType {
  if (field instanceof z.ZodCodec) return field.out;
  if (field instanceof z.ZodNullable) return z.nullable(codeOf(field.unwrap()));
  if (field instanceof z.ZodDefault) return codeOf(field.unwrap());
  if (field instanceof z.ZodExactOptional) return z.exactOptional(codeOf(field.unwrap()));
  if (field instanceof z.ZodOptional) return z.optional(codeOf(field.unwrap()));
  if (field instanceof z.ZodArray) return z.array(codeOf(field.element));
  if (field instanceof z.ZodDiscriminatedUnion) {
    const forms = field.options.map(codeOf) as unknown as [z.core.$ZodTypeDiscriminable];
    return z.discriminatedUnion(field.def.discriminator, forms);
  }
  return field;
}

function renamed(
  from: Readonly<Record<string, unknown>>,
  names: readonly (readonly [string, string])[],
): Record<string, unknown> {
  const to: Record<string, unknown> = {};
  for (const [name, other] of names) {
    if (from[name] !== undefined) to[other] = from[name];
  }
  return to;
}

/** ISO 8601 UTC on the wire, milliseconds since the Unix epoch in the code. */
export const time = z.codec(z.iso.datetime(), z.number(), {
  decode: (text) => Date.parse(text),
  encode: (timeMs) => new Date(timeMs).toISOString(),
});

const dayMs = 86_400_000;

/** A UTC day: its ISO 8601 date on the wire, days since the Unix epoch in the code. */
export const utcDay = z.codec(z.iso.date('must be a UTC day as YYYY-MM-DD'), z.int(), {
  decode: (text) => Date.parse(text) / dayMs,
  encode: (day) => new Date(day * dayMs).toISOString().slice(0, 10),
});

/** Absent on the wire, null in the code. */
export function orNull<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodCodec<z.ZodOptional<Schema>, z.ZodNullable<InCode<Schema>>> {
  const codec = z.codec(schema.optional(), z.nullable(codeOf(schema)), {
    decode: (value) => value ?? null,
    encode: (value) => (value ?? undefined) as z.output<Schema> | undefined,
  });
  // As in `wireOf`.
  return codec as unknown as z.ZodCodec<z.ZodOptional<Schema>, z.ZodNullable<InCode<Schema>>>;
}
