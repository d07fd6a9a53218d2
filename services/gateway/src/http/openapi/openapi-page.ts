import { type JsonSchema, referenceTo } from '@inventory/http/json-schema';
import type { PublicEndpoint } from '../public-route.ts';
import { documentPath, type PublicPages } from '../serve-pages.ts';
import { publicDocument } from './describe-public-api.ts';

/** GET /openapi.json: every operation, whatever process serves it. */
export function openApiPage(
  endpoints: readonly PublicEndpoint[],
  eventsOrigin: string | null,
): PublicPages {
  const text = JSON.stringify(withOpenEnums(publicDocument(endpoints, eventsOrigin)));
  return { [documentPath]: { type: 'json', body: Buffer.from(text) } };
}

/** Schemas that requests refer to: what is not among their values is refused. */
const ofRequests = ['Language'];

/**
 * The document with the values of its responses and webhooks open: some may be added within a version,
 * and a generated client must not fail on a new one. A literal remains where it tells forms apart.
 */
export function withOpenEnums(document: JsonSchema): JsonSchema {
  const { components, paths, webhooks, ...rest } = document;
  const { schemas, ...others } = components as { readonly schemas: Schemas };
  const discriminators = new Set(
    Array.from(JSON.stringify(document).matchAll(/"propertyName":"(\w+)"/g), ([, name]) => name),
  );
  const open = (value: unknown, closed: readonly string[]) =>
    opened(value, { closed, schemas, discriminators });
  return {
    ...rest,
    paths: open(paths, ['parameters', 'requestBody']),
    webhooks: open(webhooks, []),
    components: { ...others, schemas: open(schemas, ofRequests) },
  };
}

type Schemas = Readonly<Record<string, JsonSchema>>;

interface Opening {
  /** Members with these names stay as they are. */
  readonly closed: readonly string[];
  readonly schemas: Schemas;
  /** Names of members that tell forms apart. */
  readonly discriminators: ReadonlySet<string | undefined>;
}

function opened(value: unknown, opening: Opening, name?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => opened(item, opening));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [
    key,
    opening.closed.includes(key) ? member : opened(member, opening, key),
  ]);
  const schema = Object.fromEntries(members);
  const closed = ofRequests.find((one) => schema['$ref'] === referenceTo(one)['$ref']);
  if (closed !== undefined) return openSchema(opening.schemas[closed] ?? {});
  return 'const' in schema && opening.discriminators.has(name) ? schema : openSchema(schema);
}

/** Of an enum or a literal its type, with the known values of a text. */
function openSchema({ const: literal, enum: several, ...schema }: JsonSchema): JsonSchema {
  const values = several ?? (literal === undefined ? [] : [literal]);
  if (!Array.isArray(values) || values.length === 0) return schema;
  if (schema['type'] !== 'string') return schema;
  const known = `Known values: ${values.map((one) => `\`${one}\``).join(', ')}; later versions may add some.`;
  const { description } = schema;
  return {
    ...schema,
    description: description === undefined ? known : `${description} ${known}`,
    'x-extensible-enum': values,
  };
}
