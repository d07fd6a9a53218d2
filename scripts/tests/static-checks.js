'use strict';

const { execFile } = require('node:child_process');
const { join, resolve } = require('node:path');
const { promisify } = require('node:util');

const execute = promisify(execFile);
const root = resolve(__dirname, '../..');
const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Static checks; each is an npm script too. */
const checks = [
  {
    name: 'format and lint',
    command: bin('biome'),
    args: ['ci', '.', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`],
  },
  { name: 'types', command: bin('tsc'), args: ['--build', '--checkers', '1'] },
  {
    name: 'layers',
    command: bin('depcruise'),
    args: ['--config', '.dependency-cruiser.cjs', 'libs', 'services', 'deploy', 'test'],
  },
  { name: 'dead code', command: bin('knip'), args: ['--no-config-hints'] },
  {
    name: 'generated files',
    command: process.execPath,
    args: [join(root, 'scripts/generate.js'), '--check'],
  },
];

/**
 * Runs every check, side by side: most use one core. Prints the output of each when it ends.
 *
 * @returns {Promise<string[]>} the names of those that failed
 */
async function runStaticChecks() {
  const passed = await Promise.all(checks.map(passes));
  return checks.filter((_, index) => !passed[index]).map(({ name }) => name);
}

async function passes({ name, command, args }) {
  const ended = await execute(command, args, { cwd: root, maxBuffer: Infinity }).catch(
    (error) => error,
  );
  const isPassed = !(ended instanceof Error);
  const output = ended.stdout + ended.stderr || (isPassed ? '' : `${ended.message}\n`);
  process.stdout.write(`\n== ${name}\n${output}`);
  return isPassed;
}

module.exports = { runStaticChecks };
