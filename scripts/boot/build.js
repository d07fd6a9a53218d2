'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { exitCodeOf, runChild } = require('./child.js');
const { SetupError } = require('./setup-error.js');

const patienceMs = 1_500;

/**
 * Compiles the projects whose sources changed. The compiler itself finds that out, in less than
 * 0.1 s: cheaper than being wrong about it here.
 */
async function build(root) {
  const notice = setTimeout(() => process.stderr.write('Compiling.\n'), patienceMs);
  const compiler = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  const result = await runChild(process.execPath, [compiler, '--build', ...projects(root)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  clearTimeout(notice);
  if (result.error) throw new SetupError(`The compiler cannot be run: ${result.error.message}`);
  if (result.signal) throw new SetupError('Compiling was interrupted.', exitCodeOf(result));
  if (result.code === 0) return;
  if (/ENOSPC|no space left/i.test(result.output)) {
    throw new SetupError('Compiling failed: the disk is full. Free some space and run again.');
  }
  throw new SetupError(`The sources do not compile:\n${result.output.trim()}`);
}

/** All that is emitted; the tests, which are only checked, are left to `npm run types`. */
function projects(root) {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return references.map(({ path }) => path).filter((path) => !path.endsWith('.json'));
}

module.exports = { build };
