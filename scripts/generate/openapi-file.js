'use strict';

/** The OpenAPI document of the public API, as the gateway serves it. */
const { join } = require('node:path');

/** The file to write: path below the root, and content. */
function openApiFile(root) {
  const built = join(root, 'services/gateway/dist');
  const { publicEndpoints } = require(join(built, 'public-endpoints.js'));
  const { publicDocument } = require(join(built, 'http/openapi/describe-public-api.js'));
  const content = `${JSON.stringify(publicDocument(publicEndpoints), null, 1)}
`;
  return { path: 'docs/generated/openapi.json', content };
}

module.exports = { openApiFile };
