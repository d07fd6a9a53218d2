'use strict';

/**
 * Bundles the console for browsers: libs/console/src/page to libs/console/dist/page. Does nothing
 * where its sources are those of the bundle that is there.
 */
const { createHash } = require('node:crypto');
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '..');
const page = join(root, 'libs/console/src/page');
const outDir = join(root, 'libs/console/dist/page');
/** Digest of the sources of the bundle. */
const stamp = join(root, 'libs/console/dist/page.sha256');

/** Of the page, of the libraries that it takes pure functions from, and of what bundles it. */
function digestOfSources() {
  const hash = createHash('sha256');
  const sources = [
    __filename,
    join(root, 'package-lock.json'),
    join(root, 'libs/runtime/src/csv-text.ts'),
    ...readdirSync(page, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted(),
  ];
  for (const file of sources)
    hash.update(`${file.slice(root.length)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

async function bundle() {
  const digest = digestOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: page,
    base: '/console/',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    resolve: { conditions: ['@inventory/source', 'module', 'browser'] },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      // Everything is a file of its own: the policy of the page allows no inline content.
      assetsInlineLimit: 0,
    },
  });
  writeFileSync(stamp, digest);
}

bundle().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
