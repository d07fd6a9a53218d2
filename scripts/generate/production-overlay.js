'use strict';

/** The overlay `production`, made from the values beside it as an installation's is from its own. */
const { join } = require('node:path');
const { overlayFiles } = require('../kubernetes/production-overlay.js');
const { readValues } = require('../kubernetes/values.js');

const folder = 'deploy/kubernetes/overlays/production';

function productionOverlay(root) {
  const values = readValues(join(root, folder, 'values.yaml'));
  const files = overlayFiles(values, { from: '../..', source: 'values.yaml' });
  return Object.entries(files).map(([name, content]) => ({ path: `${folder}/${name}`, content }));
}

module.exports = { productionOverlay };
