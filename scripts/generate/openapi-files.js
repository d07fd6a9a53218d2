'use strict';

/** The OpenAPI documents of the public and of the operator API, and the types of their clients. */
const { join } = require('node:path');
const { clientTypes } = require('./client-types.js');
const { operatorTypes } = require('./operator-types.js');
const { pythonTypes } = require('./python-types.js');

/** Files to write: path below the root, and content. */
async function openApiFiles(root) {
  const built = join(root, 'services/gateway/dist');
  const { publicRoutes } = require(join(built, 'public-routes.js'));
  const { publicDocument } = require(join(built, 'http/openapi/describe-public-api.js'));
  const { operatorDocument } = require(join(built, 'operator/describe-operator-api.js'));
  const { operatorRoutes } = require(join(built, 'operator/operator-routes.js'));
  const { withOpenEnums } = require(join(built, 'http/openapi/openapi-page.js'));
  const ofCustomers = publicDocument(publicRoutes);
  const ofOperators = operatorDocument(operatorRoutes);
  return [
    { path: 'docs/generated/openapi.json', content: jsonText(withOpenEnums(ofCustomers)) },
    await clientTypes(structuredClone(ofCustomers)),
    pythonTypes(structuredClone(ofCustomers)),
    {
      path: 'docs/generated/operator-openapi.json',
      content: jsonText(ofOperators),
    },
    await operatorTypes(ofOperators),
  ];
}

function jsonText(document) {
  return `${JSON.stringify(document, null, 1)}\n`;
}

module.exports = { openApiFiles };
