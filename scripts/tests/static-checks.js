'use strict';

const { spawnSync } = require('node:child_process');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '../..');
const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Static checks; each is an npm script too. */
const checks = [
  {
    name: 'format and lint',
    command: bin('biome'),
    args: ['ci', '.', ...(process.stdout.isTTY ? [] : ['--colors=off'])],
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

/** Runs every check. @returns {string[]} the names of those that failed */
function runStaticChecks() {
  return checks
    .filter(({ name, command, args }) => {
      process.stdout.write(`\n== ${name}\n`);
      const stdio = ['ignore', 'inherit', 'inherit'];
      const { status, error } = spawnSync(command, args, { cwd: root, stdio });
      if (error) process.stdout.write(`${error.message}\n`);
      return status !== 0;
    })
    .map(({ name }) => name);
}

module.exports = { runStaticChecks };
