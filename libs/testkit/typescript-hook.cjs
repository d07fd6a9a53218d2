const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

/** Lets a plain Node process run these sources, as Jest does: `node --require <this file>`. */
require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  });
  module._compile(code, filename);
};
