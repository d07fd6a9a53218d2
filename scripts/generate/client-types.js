'use strict';

/** The types of the published client, from the OpenAPI document. */
const { default: openApiTypes, astToString, NUMBER } = require('openapi-typescript');
const {
  factory,
  isIdentifier,
  isLiteralTypeNode,
  isNumericLiteral,
  isUnionTypeNode,
} = require('typescript');

const path = 'libs/client/src/generated/wire-types.ts';

/** The schemas that the client exposes; those they refer to come along. */
const exposed = [
  'Account',
  'ChangesPage',
  'CurrentPage',
  'EventPage',
  'InventorySummary',
  'LivePage',
  'PageReadMeta',
  'PlainMeta',
  'Prices',
  'Project',
  'RefreshAcceptanceMeta',
  'RefreshPage',
  'RefreshStatus',
  'Statement',
  'Usage',
  'Watch',
  'WatchRun',
  'WatchTest',
];

const header = `/**
 * Generated from docs/generated/openapi.json by scripts/generate.js: the schemas that the client
 * exposes, as they are on the wire.
 */
`;
const open = `/** One of the known values, or one that is added within the version. */
export type Open<Known extends string> = Known | (string & Record<never, never>);
`;

/** The file to write: path below the root, and content. */
async function clientTypes(openApi) {
  const { openapi, info, components } = openApi;
  const names = withReferences(exposed, components.schemas);
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).filter(([name]) => names.has(name)),
  );
  const nodes = await openApiTypes(
    { openapi, info, paths: {}, components: { schemas } },
    { immutable: true, silent: true, inject: open, postTransform: opened },
  );
  return { path, content: `${header}${astToString(nodes)}` };
}

/**
 * Within a version, enums gain values and events gain versions: an enum is open, and a version is
 * any number.
 */
function opened(node) {
  // The generator writes a literal of text as an identifier with quotes.
  if (isUnionTypeNode(node) && node.types.every(isIdentifier)) {
    return factory.createTypeReferenceNode('Open', [node]);
  }
  return isLiteralTypeNode(node) && isNumericLiteral(node.literal) ? NUMBER : undefined;
}

/** Names of what the exposed schemas consist of. */
function withReferences(roots, schemas) {
  const names = new Set(roots);
  for (const name of names) {
    const references = JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g);
    for (const [, reference] of references) names.add(reference);
  }
  return names;
}

module.exports = { clientTypes, exposed, withReferences };
