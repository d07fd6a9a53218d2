'use strict';

/**
 * Fixes every foreign image to the digest that its tag has now: the bases in the Dockerfile, and the
 * images of docker-compose.yml and of the local overlay. Run again it moves them. A tag stays beside
 * its digest. Needs Docker with buildx and access to the registries.
 *
 *   npm run -s image-digests
 */
const { execFileSync } = require('node:child_process');
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '..');
const overlay = 'deploy/kubernetes/overlays/local';
/** An image after `image:` or `ARG …_IMAGE=`, with the digest that it may have. */
const reference = /^(\s*(?:image: |ARG [A-Z]+_IMAGE=))([^\s@$]+)(@sha256:[0-9a-f]{64})?$/gm;

function files() {
  const manifests = readdirSync(join(root, overlay)).filter((name) => name.endsWith('.yaml'));
  return ['Dockerfile', 'docker-compose.yml', ...manifests.map((name) => `${overlay}/${name}`)];
}

const isOwn = (image) => image.startsWith('game-item-inventory/');

/** The text with each foreign image at the digest that `digestOf` returns. */
function fixImages(text, digestOf) {
  return text.replaceAll(reference, (line, start, image) =>
    isOwn(image) ? line : `${start}${image}@${digestOf(image)}`,
  );
}

/** The digest of the index of all platforms, or of the manifest where there is one platform. */
function askRegistry(image) {
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'];
  const digest = execFileSync('docker', args, { encoding: 'utf8' }).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`no digest of ${image}: ${digest}`);
  return digest;
}

function main() {
  const known = new Map();
  const digestOf = (image) => {
    if (!known.has(image)) known.set(image, askRegistry(image));
    return known.get(image);
  };
  // Every digest is known before a file is written.
  const fixed = files().map((file) => {
    const path = join(root, file);
    return { path, text: fixImages(readFileSync(path, 'utf8'), digestOf) };
  });
  for (const { path, text } of fixed) writeFileSync(path, text);
  for (const [image, digest] of known) process.stdout.write(`${image}@${digest}\n`);
}

main();
