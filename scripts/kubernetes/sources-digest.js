'use strict';

const { createHash } = require('node:crypto');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Digest of the sources, by which a test without kustomize detects outdated renderings. */
function sourcesDigest(folder) {
  const hash = createHash('sha256');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const path of paths
    .filter((one) => /^(base|components|overlays)\/.*\.yaml$/.test(one))
    .sort())
    hash.update(`${path}\0${readFileSync(join(folder, path), 'utf8')}\0`);
  return hash.digest('hex');
}

const textDigest = (text) => createHash('sha256').update(text).digest('hex');

module.exports = { sourcesDigest, textDigest };
