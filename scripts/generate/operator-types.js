'use strict';

/** Types of the operator API for its client, from its OpenAPI document. */
const { default: openapiTS, astToString } = require('openapi-typescript');

const path = 'libs/operator-client/src/generated/operator-api.ts';
const header =
  '/** Generated from docs/generated/operator-openapi.json by `npm run generate`. */\n\n';

/** The file to write: path below the root, and content. */
async function operatorTypes(document) {
  const ast = await openapiTS(withoutCodes(document), {
    defaultNonNullable: false,
    immutable: true,
  });
  return { path, content: header + astToString(ast) + addressesText(document) };
}

/** One type for every failure instead of one for each code: a client reads `error.code`. */
function withoutCodes({ paths, components, ...document }) {
  const schemas = Object.entries(components.schemas).filter(
    ([name]) => !/.(Error|Refusal)$/.test(name),
  );
  return {
    ...document,
    paths: mapValues(paths, (operations) => mapValues(operations, withOneFailure)),
    components: { ...components, schemas: Object.fromEntries(schemas) },
  };
}

function withOneFailure({ responses, ...operation }) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return {
    ...operation,
    responses: { ...Object.fromEntries(successes), default: { description: 'Refused.', content } },
  };
}

/** Where the fields of each operation's input belong; what is not listed is in the body. */
function addressesText({ paths }) {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, parameters }]) => {
      const named = (source) => parameters.filter((of) => of.in === source).map(({ name }) => name);
      const inputs = { path: named('path'), query: named('query'), header: named('header') };
      return `    ${operationId}: ${JSON.stringify({ method, template: path, ...inputs })},`;
    }),
  );
  return `export const operationAddresses = {\n${rows.join('\n')}\n} as const;\n`;
}

function mapValues(record, convert) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, convert(value)]));
}

module.exports = { operatorTypes };
