import type { JsonSchema } from '@inventory/http/json-schema';
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
 * The document with the enums of its responses open: values may be added within a version, and a
 * generated client must not fail on a new one.
 */
export function withOpenEnums(document: JsonSchema): JsonSchema {
  const { components, paths, ...rest } = document;
  return {
    ...rest,
    paths: opened(paths, ['parameters', 'requestBody']),
    components: openComponents(components),
  };
}

function openComponents(components: unknown): JsonSchema {
  const { schemas, ...rest } = components as { readonly schemas: JsonSchema };
  return { ...rest, schemas: opened(schemas, ofRequests) };
}

/** Members with these names stay as they are. */
function opened(value: unknown, closed: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => opened(item, closed));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    closed.includes(name) ? member : opened(member, closed),
  ]);
  const { enum: values, ...schema } = Object.fromEntries(members);
  if (schema['type'] !== 'string' || !Array.isArray(values)) return Object.fromEntries(members);
  const known = `Known values: ${values.map((one) => `\`${one}\``).join(', ')}; later versions may add some.`;
  const { description } = schema;
  return {
    ...schema,
    description: description === undefined ? known : `${description} ${known}`,
    'x-extensible-enum': values,
  };
}
