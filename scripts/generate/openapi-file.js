'use strict';

/** The OpenAPI document of the public API, as the gateway serves it. */
const { join } = require('node:path');

/** The file to write: path below the root, and content. */
function openApiFile(root) {
  const built = join(root, 'services/gateway/dist');
  const { publicEndpoints } = require(join(built, 'public-endpoints.js'));
  const { openApiDocument } = require(join(built, 'http/openapi/openapi-document.js'));
  const content = `${JSON.stringify(openApiDocument(publicEndpoints), null, 1)}\n`;
  return { path: 'docs/generated/openapi.json', content };
}

module.exports = { openApiFile };
