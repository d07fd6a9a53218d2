'use strict';
/*
 * Required before a TypeScript program that belongs to no build: `node --require
 * ./scripts/run-typescript.js --conditions=@inventory/source <file>.ts`. It is compiled as the
 * tests are, and so are the sources that it imports.
 */
const { readFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { fileURLToPath } = require('node:url');
const { transformSync } = require('@swc/core');

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('.ts')) return nextLoad(url, context);
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), {
      filename,
      sourceMaps: 'inline',
      jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
      module: { type: 'commonjs', ignoreDynamic: true },
    });
    return { format: 'commonjs', source: code, shortCircuit: true };
  },
});
