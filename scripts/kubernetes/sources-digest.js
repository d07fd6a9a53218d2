'use strict';

const { createHash } = require('node:crypto');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const sources = {
  'deploy/kubernetes': /^(base|components|overlays)\/.*\.yaml$/,
  'deploy/restore': /^jobs\.js$/,
  'scripts/kubernetes': /\.js$/,
};

/**
 * Digest of the manifests and of what is checked about every combination of them: a test without
 * kustomize detects by it that neither has changed since the last run.
 */
function sourcesDigest(root) {
  const hash = createHash('sha256');
  for (const [folder, isSource] of Object.entries(sources)) {
    const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const path of paths.filter((one) => isSource.test(one)).sort())
      hash.update(`${path}\0${readFileSync(join(root, folder, path), 'utf8')}\0`);
  }
  return hash.digest('hex');
}

const textDigest = (text) => createHash('sha256').update(text).digest('hex');

module.exports = { sourcesDigest, textDigest };
